// A main program for a fuzz target: a fixed number of inputs from a fixed seed.
//
//   TARGET [--runs=N] [--seed=N] CORPUS_FILE...
//
// A crash or a sanitizer's report is the failure; otherwise it prints how many
// inputs it gave. The last input is kept in --last=FILE, if given, written
// before it is tried.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "testing/emulator/fuzzing/mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

bool TakeFlag(const std::string& argument, const std::string& name,
              std::string* value) {
  const std::string prefix = "--" + name + "=";
  if (argument.compare(0, prefix.size(), prefix) != 0) return false;
  *value = argument.substr(prefix.size());
  return true;
}

void Try(const std::string& input) {
  // A copy of exactly this size, so that a sanitizer sees reads past its end.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::string runs = "10000";
  std::string seed = "1";
  std::string last;
  std::vector<std::string> corpus;
  for (int i = 1; i < argc; ++i) {
    if (TakeFlag(argv[i], "runs", &runs) || TakeFlag(argv[i], "seed", &seed) ||
        TakeFlag(argv[i], "last", &last)) {
      continue;
    }
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::cerr << "cannot read " << argv[i] << "\n";
      return 2;
    }
    corpus.emplace_back(std::istreambuf_iterator<char>(file),
                        std::istreambuf_iterator<char>());
  }
  if (corpus.empty()) {
    std::cerr << "no corpus\n";
    return 2;
  }
  for (const std::string& input : corpus) Try(input);
  tiletune::emulator::Mutator mutator(corpus,
                                      std::strtoull(seed.c_str(), nullptr, 10));
  const long count = std::strtol(runs.c_str(), nullptr, 10);
  for (long i = 0; i < count; ++i) {
    const std::string input = mutator.Next();
    if (!last.empty()) {
      std::ofstream(last, std::ios::binary) << input;
    }
    Try(input);
  }
  std::cout << count << " inputs from " << corpus.size() << " files, seed "
            << seed << ": no crash\n";
  return 0;
}
