// Breaks one Blackwell kernel in every way that MakeMutants() knows and says
// what was caught, one line a mutant and a count at the end.
//
//   bazel run //testing/emulator/mutation:mutate -- VARIANT KERNEL_PTX \
//       REPACK_PTX [--seeds=2] [--shard=I/N] [--list]
//
// --list prints the mutants and runs nothing; --shard=0/3 tries every third.
// Exit status: 0 when it ran, 2 for unusable input.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "testing/emulator/mutation/judge.h"
#include "testing/emulator/mutation/mutant.h"

namespace tiletune::emulator {
namespace {

struct Request {
  std::vector<std::string> files;  // variant, kernel, repack
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
    } else if (argument.rfind("--shard=", 0) == 0) {
      if (std::sscanf(argument.c_str(), "--shard=%d/%d", &request->shard,
                      &request->shards) != 2) {
        return false;
      }
    } else {
      request->files.push_back(argument);
    }
  }
  return request->files.size() == 3 && request->shards > 0 &&
         request->seeds > 0 && FindVariant(request->files[0]) != nullptr;
}

bool ReadFile(const std::string& path, std::string* text) {
  std::ifstream file(path);
  std::stringstream stream;
  stream << file.rdbuf();
  *text = stream.str();
  return file.good() && !text->empty();
}

std::string Word(const Verdict& verdict) {
  switch (verdict.kind) {
    case Verdict::Kind::kCaught:
      return "caught by " + verdict.check;
    case Verdict::Kind::kSurvived:
      return "SURVIVED";
    case Verdict::Kind::kUnreached:
      return "not reached";
  }
  return "";
}

int Run(const Request& request) {
  std::string kernel, repack;
  if (!ReadFile(request.files[1], &kernel) ||
      !ReadFile(request.files[2], &repack)) {
    std::cerr << "mutate: cannot read the PTX\n";
    return 2;
  }
  const std::vector<Mutant> mutants = MakeMutants(kernel);
  if (request.list) {
    for (const Mutant& m : mutants) std::cout << m.Name() << "\n";
    return 0;
  }
  absl::StatusOr<std::unique_ptr<Judge>> judge = Judge::Create(
      *FindVariant(request.files[0]), kernel, repack, request.seeds);
  if (!judge.ok()) {
    std::cerr << "mutate: " << judge.status().message() << "\n";
    return 2;
  }
  std::map<std::string, int> counts;
  for (size_t i = request.shard; i < mutants.size(); i += request.shards) {
    const auto begin = std::chrono::steady_clock::now();
    const Verdict verdict = (*judge)->Try(mutants[i]);
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - begin;
    ++counts[Word(verdict)];
    std::printf("%s: %s (%.1f s) %s\n", mutants[i].Name().c_str(),
                Word(verdict).c_str(), seconds.count(),
                verdict.message.c_str());
    std::fflush(stdout);
  }
  for (const auto& [word, count] : counts) {
    std::printf("%5d %s\n", count, word.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace tiletune::emulator

int main(int argc, char** argv) {
  tiletune::emulator::Request request;
  if (!tiletune::emulator::ParseRequest(argc, argv, &request)) {
    std::cerr << "usage: mutate VARIANT KERNEL_PTX REPACK_PTX [--seeds=N] "
                 "[--shard=I/N] [--list]\n";
    return 2;
  }
  return tiletune::emulator::Run(request);
}
