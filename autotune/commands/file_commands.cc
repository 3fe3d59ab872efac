// The commands that move rows between databases and files, and drop them.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autotune/command_line/user_path.h"
#include "autotune/commands/commands.h"
#include "autotune/store/export.h"

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
           : absl::PermissionDeniedError("cannot be written");
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
    files.emplace_back(UserPath(name));
    if (!files.back()) {
      return Fail(absl::NotFoundError("cannot read " + UserPath(name)));
    }
  }
  const auto store = OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string path = UserPath(options.files[i]);
    const absl::StatusOr<TextFormat> format = FormatOf("", path);
    const absl::StatusOr<ImportCounts> counts =
        Import(files[i], *format, store->get());
    if (!counts.ok()) return Fail(InFile(path, counts.status()));
    std::printf("%s: %lld rows, %lld of kinds unknown here\n", path.c_str(),
                static_cast<long long>(counts->read),
                static_cast<long long>(counts->skipped));
  }
  return 0;
}

int RunMerge(const Options& options) {
  absl::Status status = NeedFiles(options);
  if (!status.ok()) return Fail(status);
  // Opened first: where one cannot be read, no database is made or changed.
  std::vector<std::unique_ptr<Store>> others;
  for (const std::string& name : options.files) {
    auto other = Store::Open(UserPath(name), Store::Mode::kReadOnly);
    if (!other.ok()) return Fail(other.status());
    others.push_back(*std::move(other));
  }
  const auto store = OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());
  for (const std::unique_ptr<Store>& other : others) {
    status = (*store)->Merge(*other);
    if (!status.ok()) return Fail(InFile(other->path(), status));
    std::printf("%s is in %s\n", other->path().c_str(),
                (*store)->path().c_str());
  }
  return 0;
}

int RunGarbageCollection(const Options& options) {
  // Opened to read first: there is nothing to collect in a file that is not
  // there, and collecting must not create it.
  const auto there = OpenStore(options, Store::Mode::kReadOnly);
  if (!there.ok()) return Fail(there.status());
  const absl::StatusOr<int64_t> stale = (*there)->StaleMeasurements();
  if (!stale.ok()) return Fail(stale.status());
  const absl::StatusOr<RowCounts> others = (*there)->OtherBuilds({});
  if (!others.ok()) return Fail(others.status());
  const char* const drops = options.dry_run ? "would drop" : "drops";
  std::printf("%s\n%s %lld stale measurements\n%s %s%s\n",
              (*there)->path().c_str(), drops, static_cast<long long>(*stale),
              options.other_builds ? drops : "keeps",
              OtherBuildsText(*others).c_str(),
              options.other_builds ? "" : "; --other-builds drops them");
  if (options.dry_run) return 0;
  const auto store = OpenStore(options, Store::Mode::kReadWrite);
  if (!store.ok()) return Fail(store.status());
  const absl::StatusOr<int64_t> dropped =
      (*store)->CollectGarbage(options.other_builds);
  return dropped.ok() ? 0 : Fail(dropped.status());
}

}  // namespace tiletune
