// Runs a program on an emulated GPU, as valgrind runs one on an emulated CPU:
//
//   run [--gpu=b200] [--seed=1] [--checks=strict|hardware]
//       [--clc-refusal=0] [--sms=N] [--max-steps=N] [--ptx=PATHS]
//       [--trace=FILE.json] PROGRAM [ARGUMENTS]
//
// The program is one that uses the shared CUDA runtime (nvcc -cudart shared)
// or the driver API, and has PTX embedded; for kernels that have none, --ptx
// names files and folders, separated by colons. Its exit code is passed on; 1
// if it would be 0 and the emulator found something, 2 if it cannot be run or
// would be 0 and a kernel could not be.
#include <limits.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "testing/emulator/runtime/settings.h"

namespace {

constexpr int kExitUnusable = 2;

constexpr struct {
  std::string_view flag;
  const char* variable;
} kFlags[] = {
    {"--gpu=", "TILETUNE_EMULATOR_GPU"},
    {"--seed=", "TILETUNE_EMULATOR_SEED"},
    {"--checks=", "TILETUNE_EMULATOR_CHECKS"},
    {"--clc-refusal=", "TILETUNE_EMULATOR_CLC_REFUSAL"},
    {"--sms=", "TILETUNE_EMULATOR_SMS"},
    {"--max-steps=", "TILETUNE_EMULATOR_MAX_STEPS"},
    {"--ptx=", "TILETUNE_EMULATOR_PTX"},
    {"--trace=", "TILETUNE_EMULATOR_TRACE"},
};

int Unusable(const std::string& sentence) {
  std::fprintf(stderr, "run: %s\n", sentence.c_str());
  return kExitUnusable;
}

// Puts the flag's value into the environment; false if it is no flag of ours.
bool Apply(std::string_view argument) {
  for (const auto& known : kFlags) {
    if (argument.substr(0, known.flag.size()) != known.flag) continue;
    const std::string value(argument.substr(known.flag.size()));
    setenv(known.variable, value.c_str(), 1);
    return true;
  }
  return false;
}

// The folder of this program and of the libraries that are built with it.
std::string OwnFolder() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  const std::string whole(path, size > 0 ? static_cast<size_t>(size) : 0);
  return whole.substr(0, whole.rfind('/'));
}

// Puts `value` in front of what the variable holds.
void Prepend(const char* variable, std::string value) {
  const char* const old = std::getenv(variable);
  if (old != nullptr && *old != '\0') value += std::string(":") + old;
  setenv(variable, value.c_str(), 1);
}

}  // namespace

int main(int argc, char** argv) {
  int i = 1;
  for (; i < argc && std::string_view(argv[i]).substr(0, 2) == "--"; ++i) {
    const std::string_view flag = argv[i];
    if (!flag.empty() && flag.back() == '=') {
      return Unusable(std::string(flag) + " has no value");
    }
    if (!Apply(flag)) {
      return Unusable(std::string("unknown flag ") + argv[i] +
                      "; there are --gpu, --seed, --checks, --clc-refusal, "
                      "--sms, --max-steps, --ptx and --trace");
    }
  }
  if (i == argc) {
    return Unusable(
        "usage: run [--gpu=b200] [--seed=N] [--checks=strict|hardware] "
        "[--clc-refusal=RATE] [--sms=N] [--max-steps=N] [--ptx=PATHS] "
        "[--trace=FILE.json] PROGRAM [ARGUMENTS]");
  }
  const auto settings = tiletune::emulator::runtime::ReadSettings(
      [](const char* name) { return std::getenv(name); });
  if (!settings.ok()) return Unusable(std::string(settings.status().message()));
  // Under "bazel run", relative to where the user is.
  const char* const folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && chdir(folder) != 0) {
    return Unusable(std::string("cannot change to ") + folder);
  }
  const std::string libraries = OwnFolder();
  Prepend("LD_LIBRARY_PATH", libraries);
  // Also where the program was linked with a path of its own (DT_RPATH).
  Prepend("LD_PRELOAD", libraries + "/libcudart.so.13");
  execvp(argv[i], argv + i);
  return Unusable(std::string("cannot run ") + argv[i]);
}
