// The commands that move rows between databases and files, and drop them.
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
#include "autotune/store/export.h"
#include "kernels/user_path.h"

namespace tiletune {
namespace {

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

absl::Status InFile(const std::string& file, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(file, ": ", status.message()));
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
  std::ofstream file(path);
  const absl::Status status =
      file ? Export(**store, *format, file)
           : absl::PermissionDeniedError(
                 absl::StrCat("cannot be written: ", strerror(errno)));
  if (!status.ok()) return Fail(InFile(path, status));
  file.close();
  if (!file) return Fail(absl::DataLossError(path + ": was not written whole"));
  return 0;
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
  }
  const auto store = OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string path = UserPath(options.files[i]);
    const absl::StatusOr<TextFormat> format = FormatOf("", path);
    const absl::StatusOr<TakenRows> taken =
        Import(files[i], *format, store->get());
    if (!taken.ok()) return Fail(InFile(path, taken.status()));
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
    others.push_back(*std::move(other));
  }
  const auto store = OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());
  for (const std::unique_ptr<Store>& other : others) {
    const absl::StatusOr<TakenRows> taken = (*store)->Merge(*other);
    if (!taken.ok()) return Fail(InFile(other->path(), taken.status()));
    std::printf("%s is in %s\n", other->path().c_str(),
                (*store)->path().c_str());
    SayTaken(other->path(), *taken);
  }
  return 0;
}

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
