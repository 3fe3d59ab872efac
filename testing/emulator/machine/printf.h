// Device-side printf: what the CUDA function vprintf does with a format string
// and a buffer of arguments. Private to this folder.
//
//   // The two .param variables hold the format's and the buffer's addresses.
//   int n = FormatPrintf(warp, inst, lane, format_param, buffer_param);
//   // Appends to machine.printed(); n is the number of arguments printed,
//   // as CUDA's printf returns it.
#ifndef TILETUNE_TESTING_EMULATOR_MACHINE_PRINTF_H_
#define TILETUNE_TESTING_EMULATOR_MACHINE_PRINTF_H_

#include <cstdint>

#include "testing/emulator/machine/program.h"

namespace tiletune::emulator {

class Warp;

int FormatPrintf(Warp& warp, const Inst& inst, int lane, uint32_t format_param,
                 uint32_t buffer_param);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MACHINE_PRINTF_H_
