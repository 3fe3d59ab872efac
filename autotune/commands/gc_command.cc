// autotune gc: the rows that can win nothing, counted and dropped.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/commands/commands.h"

namespace tiletune {
namespace {

// What gc may drop.
struct Rubbish {
  int64_t stale = 0;
  RowCounts others;
  RowCounts impossible;

  static absl::StatusOr<Rubbish> In(const Store& store) {
    Rubbish rubbish;
    const absl::StatusOr<int64_t> stale = store.StaleMeasurements();
    if (!stale.ok()) return stale.status();
    rubbish.stale = *stale;
    const absl::StatusOr<RowCounts> others = store.OtherBuilds({});
    if (!others.ok()) return others.status();
    rubbish.others = *others;
    const absl::StatusOr<std::vector<ImpossibleRow>> impossible =
        store.Impossible({});
    if (!impossible.ok()) return impossible.status();
    for (const ImpossibleRow& row : *impossible) {
      (row.is_prediction ? rubbish.impossible.predictions
                         : rubbish.impossible.measurements) += row.rows;
    }
    return rubbish;
  }

  // A line of each kind, and what becomes of it.
  std::string ToString(const Options& options) const {
    const char* const drops = options.dry_run ? "would drop" : "dropped";
    const char* const keeps = options.dry_run ? "would keep" : "kept";
    std::string text = absl::StrCat(drops, " ", stale, " stale measurements\n");
    const auto add = [&](bool dropped, const std::string& what,
                         const char* flag) {
      absl::StrAppend(&text, dropped ? drops : keeps, " ", what,
                      dropped ? "" : absl::StrCat("; ", flag, " drops them"),
                      "\n");
    };
    add(options.other_builds, OtherBuildsText(others), "--other-builds");
    add(options.impossible,
        absl::StrCat(CountsText(impossible), " that cannot be true"),
        "--impossible");
    return text;
  }
};

}  // namespace

int RunGarbageCollection(const Options& options) {
  // Opened to read first: there is nothing to collect in a file that is not
  // there, and collecting must not create it.
  const auto there = OpenStore(options, Store::Mode::kReadOnly);
  if (!there.ok()) return Fail(there.status());
  const absl::StatusOr<Rubbish> rubbish = Rubbish::In(**there);
  if (!rubbish.ok()) return Fail(rubbish.status());
  if (!options.dry_run) {
    const auto store = OpenStore(options, Store::Mode::kReadWrite);
    if (!store.ok()) return Fail(store.status());
    Store::Garbage garbage;
    garbage.other_builds = options.other_builds;
    garbage.impossible = options.impossible;
    const absl::StatusOr<int64_t> dropped = (*store)->CollectGarbage(garbage);
    if (!dropped.ok()) return Fail(dropped.status());
  }
  // Said when it is done.
  std::printf("%s\n%s", (*there)->path().c_str(),
              rubbish->ToString(options).c_str());
  return 0;
}

}  // namespace tiletune
