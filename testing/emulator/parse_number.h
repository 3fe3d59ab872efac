// Numbers of a command line, refused rather than cut when they do not fit.
//
//   uint64_t bytes = 0;
//   if (!ParseUnsigned("0x1000", &bytes)) return Usage();
//   uint32_t extent = 0;
//   if (!ParseUnsigned("4294967296", &extent)) return Usage();  // 2^32
#ifndef TILETUNE_TESTING_EMULATOR_PARSE_NUMBER_H_
#define TILETUNE_TESTING_EMULATOR_PARSE_NUMBER_H_

#include <cstdint>
#include <string>

namespace tiletune::emulator {

// Decimal, hexadecimal after 0x, or octal after 0. False for anything else, a
// sign or a space included, and for numbers that do not fit.
bool ParseUnsigned(const std::string& text, uint64_t* value);
bool ParseUnsigned(const std::string& text, uint32_t* value);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_PARSE_NUMBER_H_
