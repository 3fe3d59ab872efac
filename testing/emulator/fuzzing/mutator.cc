#include "testing/emulator/fuzzing/mutator.h"

#include <algorithm>
#include <cstring>

namespace tiletune::emulator {
namespace {

// Numbers at which sizes and offsets tend to go wrong.
constexpr uint64_t kNumbers[] = {
    0,          1,           0x7F,       0x80,       0xFF,
    0xFFFF,     0x7FFFFFFF,  0x80000000, 0xFFFFFFFF, 0x100000000,
    ~0ull >> 1, ~0ull << 63, ~0ull,      ~0ull - 15};
// Pieces of PTX that change how what follows is read.
constexpr const char* kPieces[] = {"{",  "}",    "[", "]", "(",  ")",  ";",
                                   ",",  "@",    "|", "_", "//", "/*", "\"",
                                   "0x", "-1e9", "%", "$", ".b", "\n", "<"};

}  // namespace

std::string Mutator::Next() {
  std::string input = corpus_[Below(corpus_.size())];
  const size_t changes = 1 + Below(8);
  for (size_t i = 0; i < changes; ++i) Change(&input);
  return input;
}

void Mutator::Change(std::string* input) {
  const size_t at = Below(input->size());
  const size_t length = 1 + Below(std::min<size_t>(input->size() - at, 64));
  switch (Below(8)) {
    case 0:  // one bit
      if (!input->empty()) (*input)[at] ^= static_cast<char>(1 << Below(8));
      return;
    case 1:  // one byte
      if (!input->empty()) (*input)[at] = static_cast<char>(Below(256));
      return;
    case 2: {  // a number
      const uint64_t number = kNumbers[Below(std::size(kNumbers))];
      const size_t bytes = size_t{1} << Below(4);
      if (input->size() >= bytes) {
        std::memcpy(input->data() + Below(input->size() - bytes + 1), &number,
                    bytes);
      }
      return;
    }
    case 3:
      input->erase(at, length);
      return;
    case 4: {  // a run of itself, elsewhere
      const std::string run = input->substr(at, length);
      input->insert(Below(input->size() + 1), run);
      return;
    }
    case 5:  // cut off
      if (Below(4) == 0) input->resize(at);
      return;
    case 6: {  // a run of another
      const std::string& other = corpus_[Below(corpus_.size())];
      input->insert(at, other.substr(Below(other.size()), length));
      return;
    }
    default:
      input->insert(at, kPieces[Below(std::size(kPieces))]);
      return;
  }
}

}  // namespace tiletune::emulator
