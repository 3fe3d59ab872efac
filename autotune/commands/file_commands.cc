// The commands that move rows between databases and files.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/output_file.h"
#include "autotune/store/export.h"
#include "autotune/store/text_lines.h"
#include "kernels/user_path.h"

namespace tiletune {
namespace {

// The first byte of a file of gzip (RFC 1952), and of no text.
constexpr int kGzip = 0x1f;

// --format, else what the file's name ends in, else jsonl.
absl::StatusOr<TextFormat> FormatOf(const std::string& format,
                                    const std::string& file) {
  if (format == "csv") return TextFormat::kCsv;
  if (format == "jsonl") return TextFormat::kJsonl;
  if (!format.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--format=", format, " is neither csv nor jsonl"));
  }
  return absl::EndsWith(file, ".csv") ? TextFormat::kCsv : TextFormat::kJsonl;
}

absl::Status NeedFiles(const Options& options) {
  if (!options.files.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(options.command, " needs a file: autotune ", options.command,
                   " --db=PATH FILE ..."));
}

// How many rows of a file were taken, and why not all of them.
void SayTaken(const std::string& path, const TakenRows& taken) {
  std::printf("%s: %lld rows, %lld of kinds unknown here\n", path.c_str(),
              static_cast<long long>(taken.read),
              static_cast<long long>(taken.skipped));
  if (taken.impossible == 0) return;
  std::fprintf(stderr,
               "autotune: %s: %lld rows left out, as they cannot be true; the "
               "first: %s\n",
               path.c_str(), static_cast<long long>(taken.impossible),
               taken.first_impossible.c_str());
}

}  // namespace

int RunExport(const Options& options) {
  const std::string path = UserPath(options.output);
  const absl::StatusOr<TextFormat> format = FormatOf(options.format, path);
  if (!format.ok()) return Fail(format.status());
  const auto store = OpenStore(options, Store::Mode::kReadOnly);
  if (!store.ok()) return Fail(store.status());
  if (*format == TextFormat::kCsv) {
    const auto measured = (*store)->Measurements({});
    if (!measured.ok()) return Fail(measured.status());
    if (measured->empty()) {
      return Fail(absl::NotFoundError(
          absl::StrCat((*store)->path(),
                       " holds no measurement, and csv nothing else; "
                       "--format=jsonl writes predictions too")));
    }
  }
  if (path.empty()) {
    const absl::Status status = Export(**store, *format, std::cout);
    return status.ok() ? 0 : Fail(status);
  }
  absl::StatusOr<std::ofstream> file = OpenOutput(path);
  if (!file.ok()) return Fail(file.status());
  absl::Status status = Export(**store, *format, *file);
  if (!status.ok()) return Fail(Within(status, path));
  status = CloseOutput(path, &*file);
  return status.ok() ? 0 : Fail(status);
}

int RunImport(const Options& options) {
  absl::Status status = NeedFiles(options);
  if (!status.ok()) return Fail(status);
  // Opened first: where there is nothing to read, no database is made.
  std::vector<std::ifstream> files;
  for (const std::string& name : options.files) {
    files.emplace_back(name == "-" ? "/dev/stdin" : UserPath(name));
    if (!files.back()) {
      return Fail(absl::NotFoundError(
          absl::StrCat(UserPath(name), ": cannot be read: ", strerror(errno))));
    }
    if (files.back().peek() == kGzip) {
      return Fail(absl::InvalidArgumentError(
          absl::StrCat(name,
                       " is compressed: gunzip -c FILE | autotune import "
                       "--db=PATH -")));
    }
  }
  const auto store = OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string path = UserPath(options.files[i]);
    const absl::StatusOr<TextFormat> format = FormatOf(options.format, path);
    if (!format.ok()) return Fail(format.status());
    const absl::StatusOr<TakenRows> taken =
        Import(files[i], *format, store->get());
    if (!taken.ok()) return Fail(Within(taken.status(), path));
    SayTaken(path, *taken);
  }
  return 0;
}

int RunMerge(const Options& options) {
  absl::Status status = NeedFiles(options);
  if (!status.ok()) return Fail(status);
  // Opened first: where one cannot be read, no database is made or changed.
  std::vector<std::unique_ptr<Store>> others;
  for (const std::string& name : options.files) {
    auto other =
        OpenFile(UserPath(name), Store::Mode::kReadOnly, Folder::kThere);
    if (!other.ok()) return Fail(other.status());
    status = (*other)->CheckTables();
    if (!status.ok()) return Fail(status);
    others.push_back(*std::move(other));
  }
  const auto store = OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());
  for (const std::unique_ptr<Store>& other : others) {
    const absl::StatusOr<TakenRows> taken = (*store)->Merge(*other);
    if (!taken.ok()) return Fail(Within(taken.status(), other->path()));
    std::printf("%s is in %s\n", other->path().c_str(),
                (*store)->path().c_str());
    SayTaken(other->path(), *taken);
  }
  return 0;
}

}  // namespace tiletune
