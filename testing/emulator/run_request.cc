#include "testing/emulator/run_request.h"

#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "testing/emulator/device.h"
#include "testing/emulator/parse_number.h"

namespace tiletune::emulator {

const char kRunUsage[] =
    "ptx_run FILE.ptx --entry=NAME --grid=X[,Y[,Z]] --block=X[,Y[,Z]]\n"
    "    [--cluster=X[,Y[,Z]]] [--dynamic-shared=BYTES] [--sms=N] [--seed=N]\n"
    "    [--clc-refusal=RATE] [--checks=strict|hardware] [--max-steps=N]\n"
    "    [--trace=FILE.json] --arg=KIND:VALUE ... [--buffer=KIND:VALUE ...]\n"
    "KIND:VALUE is one of\n"
    "    u32:N  i32:N  u64:N  f32:X\n"
    "    in:FILE          a buffer with the file's bytes\n"
    "    inout:FILE       the same, written back at the end\n"
    "    out:FILE:BYTES   a poisoned buffer, written to the file at the end\n"
    "    scratch:BYTES    a poisoned buffer\n"
    "    map:OF:TYPE:D0xD1..:B0xB1..:SWIZZLE\n"
    "                     a tiled tensor map of the buffer that is argument\n"
    "                     number OF, from 0, or --buffer number OF: b0, b1, "
    "...;\n"
    "                     element type (bf16, f16, f32, u8, ...), extents and\n"
    "                     box innermost first, packed strides, swizzle none,\n"
    "                     32, 64 or 128\n"
    "A --buffer is no parameter of the kernel: in, inout, out or scratch, for\n"
    "maps. Without flags: one seed, 4 SMs, --checks=hardware, no limit.\n"
    "FILE.ptx may have 64 MiB, other files 512 MiB each.\n"
    "Exit status: 0 clean, 1 findings, 2 unusable input.\n";

namespace {

using Words = std::vector<std::string>;

absl::Status Bad(const std::string& word) {
  return absl::InvalidArgumentError(absl::StrCat("cannot use '", word, "'"));
}

bool ParseDim3(const std::string& text, Dim3* dim) {
  Words parts = absl::StrSplit(text, ',');
  uint32_t* const values[3] = {&dim->x, &dim->y, &dim->z};
  if (parts.size() > 3) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!ParseUnsigned(parts[i], values[i]) || *values[i] == 0) return false;
  }
  return true;
}

bool ParseOption(const std::string& name, const std::string& value,
                 RunRequest* request) {
  uint64_t number = 0;
  if (name == "entry") {
    request->entry = value;
    return !value.empty();
  }
  if (name == "grid") return ParseDim3(value, &request->grid);
  if (name == "block") return ParseDim3(value, &request->block);
  if (name == "cluster") return ParseDim3(value, &request->cluster);
  if (name == "trace") {
    request->options.trace_path = value;
    return !value.empty();
  }
  if (name == "checks") {
    request->options.checks =
        value == "strict" ? Checks::kStrict : Checks::kHardware;
    return value == "strict" || value == "hardware";
  }
  if (name == "clc-refusal") {
    double rate = 0;
    if (!absl::SimpleAtod(value, &rate) || !(rate >= 0) || rate > 1) {
      return false;
    }
    request->options.clc_refusal_rate = rate;
    return true;
  }
  if (name == "arg") {
    request->arguments.emplace_back();
    return ParseRunArgument(value, &request->arguments.back());
  }
  if (name == "buffer") {
    request->buffers.emplace_back();
    return ParseRunArgument(value, &request->buffers.back()) &&
           request->buffers.back().IsBuffer();
  }
  if (!ParseUnsigned(value, &number)) return false;
  if (name == "dynamic-shared") {
    request->dynamic_shared = static_cast<uint32_t>(number);
    return number < (1u << 20);
  }
  if (name == "sms") {
    request->options.sms = static_cast<int>(number);
    return number >= 1 && number <= 1024;
  }
  if (name == "seed") {
    request->options.seed = number;
    return true;
  }
  if (name == "max-steps") {
    request->options.max_steps = number;
    return true;
  }
  return false;
}

// Far more than any program, and a 16384 x 16384 matrix of bf16.
constexpr size_t kMaxProgramBytes = size_t{64} << 20;
constexpr size_t kMaxBufferBytes = size_t{512} << 20;

// ResourceExhausted for a file of more than `most` bytes, which also ends at
// some point where the file does not.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  char part[1 << 14];
  while (bytes.size() <= most &&
         (file.read(part, sizeof(part)) || file.gcount() > 0)) {
    bytes.append(part, file.gcount());
  }
  // A folder opens, and fails only when it is read.
  if (!file.is_open() || file.bad()) {
    return absl::NotFoundError(absl::StrCat("cannot read ", path));
  }
  if (bytes.size() > most) {
    return absl::ResourceExhaustedError(absl::StrCat(
        path, " has more than ", most >> 20, " MiB, the most that is read"));
  }
  return bytes;
}

absl::Status WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes << std::flush;  // a full disk shows when it is flushed
  if (file) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
}

// A buffer in the emulated memory.
struct Placed {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

// `name` is for messages about it.
absl::StatusOr<Placed> Place(const RunArgument& argument,
                             const std::string& name, GlobalMemory* memory) {
  Placed placed;
  if (!argument.IsBuffer()) return placed;
  std::string contents;
  placed.bytes = argument.bytes;
  if (!argument.path.empty() && argument.kind != RunArgument::Kind::kOut) {
    absl::StatusOr<std::string> file = ReadFile(argument.path, kMaxBufferBytes);
    if (!file.ok()) return file.status();
    contents = *std::move(file);
    placed.bytes = contents.size();
  }
  if (!memory->CanAllocate(placed.bytes)) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name, ": this machine's memory does not hold ",
                     placed.bytes, " more bytes"));
  }
  placed.address = memory->Allocate(placed.bytes, name);
  memory->Write(placed.address, contents.data(), contents.size());
  return placed;
}

absl::Status PlaceAll(const std::vector<RunArgument>& arguments,
                      const char* what, GlobalMemory* memory,
                      std::vector<Placed>* placed) {
  for (const RunArgument& argument : arguments) {
    absl::StatusOr<Placed> one =
        Place(argument, absl::StrCat(what, " ", placed->size()), memory);
    if (!one.ok()) return one.status();
    placed->push_back(*one);
  }
  return absl::OkStatus();
}

absl::Status WriteBack(const std::vector<RunArgument>& arguments,
                       const std::vector<Placed>& placed,
                       GlobalMemory* memory) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].IsWritten()) continue;
    std::string bytes(placed[i].bytes, '\0');
    memory->Read(placed[i].address, bytes.data(), bytes.size());
    absl::Status written = WriteFile(arguments[i].path, bytes);
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

// Whether the map's buffer is there.
bool HasBuffer(const RunRequest& request, const RunArgument& map) {
  const std::vector<RunArgument>& among =
      map.of_buffer ? request.buffers : request.arguments;
  return map.of < among.size() && among[map.of].IsBuffer();
}

}  // namespace

absl::StatusOr<RunRequest> ParseRunRequest(const Words& words) {
  RunRequest request;
  bool has_grid = false;
  bool has_block = false;
  for (const std::string& word : words) {
    if (word.compare(0, 2, "--") != 0) {
      if (!request.path.empty()) return Bad(word);
      request.path = word;
      continue;
    }
    size_t equals = word.find('=');
    if (equals == std::string::npos) return Bad(word);
    std::string name = word.substr(2, equals - 2);
    if (!ParseOption(name, word.substr(equals + 1), &request)) {
      return Bad(word);
    }
    has_grid |= name == "grid";
    has_block |= name == "block";
  }
  if (request.path.empty() || request.entry.empty() || !has_grid ||
      !has_block) {
    return absl::InvalidArgumentError(
        "a file, --entry, --grid and --block are needed");
  }
  for (const RunArgument& argument : request.arguments) {
    if (argument.kind == RunArgument::Kind::kTensorMap &&
        !HasBuffer(request, argument)) {
      return absl::InvalidArgumentError(
          "a map must name an argument that is a buffer, or a --buffer: b0");
    }
  }
  return request;
}

absl::StatusOr<RunResult> Execute(const RunRequest& request) {
  absl::StatusOr<std::string> text = ReadFile(request.path, kMaxProgramBytes);
  if (!text.ok()) return text.status();
  Device device;
  absl::StatusOr<LoadedModule*> module = device.Load(*text);
  if (!module.ok()) return module.status();
  GlobalMemory& memory = device.memory();
  std::vector<Placed> placed;
  absl::Status status =
      PlaceAll(request.arguments, "argument", &memory, &placed);
  if (!status.ok()) return status;
  std::vector<Placed> buffers;
  status = PlaceAll(request.buffers, "buffer", &memory, &buffers);
  if (!status.ok()) return status;
  Launch launch;
  launch.module = *module;
  launch.entry = request.entry;
  launch.grid = request.grid;
  launch.block = request.block;
  launch.cluster = request.cluster;
  launch.dynamic_shared = request.dynamic_shared;
  for (size_t i = 0; i < request.arguments.size(); ++i) {
    const RunArgument& argument = request.arguments[i];
    if (argument.kind == RunArgument::Kind::kValue) {
      launch.Add(argument.value.data(), argument.value.size());
    } else if (argument.kind == RunArgument::Kind::kTensorMap) {
      TensorMap map = argument.map;
      map.address =
          (argument.of_buffer ? buffers : placed)[argument.of].address;
      Findings wrong = CheckTensorMap(map);
      if (!wrong.empty()) return absl::InvalidArgumentError(wrong.front());
      uint8_t bytes[kTensorMapBytes];
      EncodeTensorMap(map, bytes);
      launch.Add(bytes, sizeof(bytes));
    } else {
      launch.Add(placed[i].address);
    }
  }
  absl::StatusOr<RunResult> result = device.Run(launch, request.options);
  if (!result.ok()) return result;
  status = WriteBack(request.arguments, placed, &memory);
  status.Update(WriteBack(request.buffers, buffers, &memory));
  if (result->trace_failed) {
    status.Update(absl::PermissionDeniedError(
        absl::StrCat("cannot write ", request.options.trace_path)));
  }
  if (!status.ok()) return status;
  return result;
}

}  // namespace tiletune::emulator
