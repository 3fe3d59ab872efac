// Breaks one Blackwell kernel in every way that MakeMutants() knows and says
// what was caught and what is argued equivalent.
//
//   bazel run //testing/emulator/mutation:mutate --
//       VARIANT KERNEL_PTX REPACK_PTX ARGUMENTS.json [--seeds=2] [--shard=I/N]
//       [--jsonl=RESULTS.jsonl] [--again=RESULTS.jsonl] [--list]
//
// --jsonl writes a line for every mutant; --list prints the mutants and runs
// nothing; --shard=0/3 tries every third; --again leaves out what an earlier
// run on the same PTX caught. Exit status: 0 when it ran, 1 when an argument
// for equivalence is wrong, 2 for unusable input.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "testing/emulator/mutation/equivalence.h"
#include "testing/emulator/mutation/judge.h"
#include "testing/emulator/mutation/mutant.h"
#include "testing/emulator/mutation/mutation_run.h"

namespace tiletune::emulator {
namespace {

struct Request {
  std::vector<std::string> files;  // variant, kernel, repack, arguments
  std::string jsonl;               // empty for none
  std::string again;               // empty for none
  int seeds = 2;
  int shard = 0;
  int shards = 1;
  bool list = false;
};

bool ParseRequest(int argc, char** argv, Request* request) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--list") {
      request->list = true;
    } else if (argument.rfind("--seeds=", 0) == 0) {
      request->seeds = std::atoi(argument.c_str() + 8);
    } else if (argument.rfind("--jsonl=", 0) == 0) {
      request->jsonl = argument.substr(8);
    } else if (argument.rfind("--again=", 0) == 0) {
      request->again = argument.substr(8);
    } else if (argument.rfind("--shard=", 0) == 0) {
      if (std::sscanf(argument.c_str(), "--shard=%d/%d", &request->shard,
                      &request->shards) != 2) {
        return false;
      }
    } else {
      request->files.push_back(argument);
    }
  }
  return request->files.size() == 4 && request->shard >= 0 &&
         request->shards > 0 && request->seeds > 0 &&
         FindVariant(request->files[0]) != nullptr;
}

bool ReadFile(const std::string& path, std::string* text) {
  std::ifstream file(path);
  std::stringstream stream;
  stream << file.rdbuf();
  *text = stream.str();
  return file.good() && !text->empty();
}

// The mutants that `path`, written by --jsonl, says were caught.
std::set<size_t> CaughtBefore(const std::string& path) {
  std::set<size_t> caught;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const nlohmann::json result = nlohmann::json::parse(line, nullptr, false);
    if (result.is_object() && result.value("verdict", "") == "caught") {
      caught.insert(result.value("id", size_t{0}));
    }
  }
  return caught;
}

int Unusable(const std::string& why) {
  std::cerr << "mutate: " << why << "\n";
  return 2;
}

int Run(const Request& request) {
  std::string kernel, repack, json;
  if (!ReadFile(request.files[1], &kernel) ||
      !ReadFile(request.files[2], &repack) ||
      !ReadFile(request.files[3], &json)) {
    return Unusable("cannot read the files");
  }
  if (request.list) {
    for (const Mutant& m : MakeMutants(kernel)) std::cout << m.Name() << "\n";
    return 0;
  }
  const absl::StatusOr<EquivalenceArguments> arguments =
      EquivalenceArguments::Parse(json);
  if (!arguments.ok()) {
    return Unusable(std::string(arguments.status().message()));
  }
  const absl::StatusOr<std::unique_ptr<Judge>> judge = Judge::Create(
      *FindVariant(request.files[0]), kernel, repack, request.seeds);
  if (!judge.ok()) return Unusable(std::string(judge.status().message()));
  std::ofstream jsonl;
  if (!request.jsonl.empty()) {
    jsonl.open(request.jsonl);
    if (!jsonl) return Unusable("cannot write " + request.jsonl);
  }
  MutationRun run(**judge, request.files[0], kernel, *arguments);
  const std::set<size_t> caught = CaughtBefore(request.again);
  bool right = true;
  for (size_t i = request.shard; i < run.mutants().size();
       i += request.shards) {
    if (caught.count(i) != 0) continue;
    const MutantResult& result = run.Try(i);
    right = right && result.error.empty();
    if (jsonl.is_open()) jsonl << ToJsonLine(result) << std::endl;
  }
  std::cout << run.Summary();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace tiletune::emulator

int main(int argc, char** argv) {
  tiletune::emulator::Request request;
  if (!tiletune::emulator::ParseRequest(argc, argv, &request)) {
    std::cerr
        << "usage: mutate VARIANT KERNEL_PTX REPACK_PTX ARGUMENTS.json "
           "[--seeds=N] [--shard=I/N] [--jsonl=FILE] [--again=FILE] [--list]\n";
    return 2;
  }
  return tiletune::emulator::Run(request);
}
