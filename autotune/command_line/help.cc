// The help text of options.h.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autotune/command_line/flag_table.h"
#include "autotune/command_line/options.h"

namespace tiletune {
namespace {

// What the tables show.
constexpr char kWords[] =
    "A config is written KERNEL o8zn k4 p0. KERNEL: its tile and cluster, and\n"
    "its supply, by which a worker gets the next tile: static (a formula),\n"
    "queue (a counter in memory) or clc (Blackwell's Cluster Launch Control).\n"
    "o8: the offset, tiles go in windows 8 high. zn or nz: the direction,\n"
    "through a window along N or along M. k4: K is split among 4. p0: it does\n"
    "not start before the kernel in front of it has ended. g8: its CTAs are\n"
    "launched in groups of 8 that land next to each other.\n"
    "docs/tuning.md has more.\n";

}  // namespace

std::string Help(const std::string& command) {
  std::string text;
  if (command.empty() || command == "help" || !IsCommand(command)) {
    absl::StrAppend(&text,
                    "autotune: for this GEMM on this GPU, which kernel "
                    "configuration is fastest\n\n"
                    "  autotune [COMMAND] [--flag=value ...]\n\n");
    for (const Command& c : Commands()) {
      absl::StrAppend(&text, absl::StrFormat("  %-9s %s\n", c.name, c.help));
    }
    absl::StrAppend(&text, "\nautotune help COMMAND lists its flags.\n\n",
                    kWords);
    return text;
  }
  absl::StrAppend(&text, "autotune ", command, " [--flag=value ...]",
                  command == "import" || command == "merge" ? " FILE ..."
                  : command == "agree"                      ? " OTHER.db"
                                                            : "",
                  "\n");
  for (const Command& c : Commands()) {
    if (command == c.name) absl::StrAppend(&text, "  ", c.help, "\n\n");
  }
  for (const Flag& flag : Flags()) {
    if (!Takes(flag, command)) continue;
    const std::string form =
        flag.value == nullptr ? absl::StrCat("--", flag.name)
                              : absl::StrCat("--", flag.name, "=", flag.value);
    absl::StrAppend(&text, "  ", form, "\n      ", flag.help, "\n");
  }
  return text;
}

}  // namespace tiletune
