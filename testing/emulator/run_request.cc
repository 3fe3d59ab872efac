#include "testing/emulator/run_request.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "testing/emulator/device.h"

namespace tiletune::emulator {

const char kRunUsage[] =
    "ptx_run FILE.ptx --entry=NAME --grid=X[,Y[,Z]] --block=X[,Y[,Z]]\n"
    "    [--cluster=X[,Y[,Z]]] [--dynamic-shared=BYTES] [--sms=N] [--seed=N]\n"
    "    [--clc-refusal=RATE] [--checks=strict|hardware] [--max-steps=N]\n"
    "    [--trace=FILE.json] --arg=KIND:VALUE ...\n"
    "KIND:VALUE is one of\n"
    "    u32:N  i32:N  u64:N  f32:X\n"
    "    in:FILE          a buffer with the file's bytes\n"
    "    inout:FILE       the same, written back at the end\n"
    "    out:FILE:BYTES   a poisoned buffer, written to the file at the end\n"
    "    scratch:BYTES    a poisoned buffer\n"
    "    map:ARG:TYPE:D0xD1..:B0xB1..:SWIZZLE\n"
    "                     a tiled tensor map of buffer argument number ARG\n"
    "                     (from 0): element type (bf16, f16, f32, u8, ...),\n"
    "                     extents and box innermost first, packed strides,\n"
    "                     swizzle none, 32, 64 or 128\n"
    "Exit status: 0 clean, 1 findings, 2 unusable input.\n";

namespace {

using Words = std::vector<std::string>;

absl::Status Bad(const std::string& word) {
  return absl::InvalidArgumentError(absl::StrCat("cannot use '", word, "'"));
}

bool ParseUnsigned(const std::string& text, uint64_t* value) {
  char* end = nullptr;
  if (text.empty() || text[0] == '-') return false;
  *value = std::strtoull(text.c_str(), &end, 0);
  return *end == '\0';
}

bool ParseDim3(const std::string& text, Dim3* dim) {
  Words parts = absl::StrSplit(text, ',');
  uint64_t values[3] = {1, 1, 1};
  if (parts.size() > 3) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!ParseUnsigned(parts[i], &values[i]) || values[i] == 0 ||
        values[i] > std::numeric_limits<uint32_t>::max()) {
      return false;
    }
  }
  dim->x = static_cast<uint32_t>(values[0]);
  dim->y = static_cast<uint32_t>(values[1]);
  dim->z = static_cast<uint32_t>(values[2]);
  return true;
}

template <typename T>
std::vector<uint8_t> BytesOf(T value) {
  std::vector<uint8_t> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

bool ParseMapType(const std::string& name, TensorMapType* type) {
  for (int i = 0; i <= static_cast<int>(TensorMapType::k16U6Align16B); ++i) {
    if (name == TensorMapTypeName(static_cast<TensorMapType>(i))) {
      *type = static_cast<TensorMapType>(i);
      return true;
    }
  }
  return false;
}

bool ParseMap(const Words& parts, RunArgument* argument) {
  uint64_t of = 0;
  if (parts.size() != 6 || !ParseUnsigned(parts[1], &of)) return false;
  argument->kind = RunArgument::Kind::kTensorMap;
  argument->of = of;
  TensorMap& map = argument->map;
  Words dims = absl::StrSplit(parts[3], 'x');
  Words box = absl::StrSplit(parts[4], 'x');
  if (!ParseMapType(parts[2], &map.type) || dims.size() != box.size() ||
      dims.size() > kTensorMapMaxRank) {
    return false;
  }
  map.rank = static_cast<int>(dims.size());
  uint64_t stride = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    uint64_t extent = 0;
    if (!ParseUnsigned(dims[i], &map.dims[i]) ||
        !ParseUnsigned(box[i], &extent)) {
      return false;
    }
    map.box[i] = static_cast<uint32_t>(extent);
    stride = i == 0
                 ? map.dims[0] *
                       static_cast<uint64_t>(TensorMapElementBits(map.type)) / 8
                 : stride * map.dims[i];
    if (i + 1 < dims.size()) map.strides[i] = stride;
  }
  if (parts[5] == "none") {
    map.swizzle = Swizzle::kNone;
  } else if (parts[5] == "32") {
    map.swizzle = Swizzle::k32;
  } else if (parts[5] == "64") {
    map.swizzle = Swizzle::k64;
  } else if (parts[5] == "128") {
    map.swizzle = Swizzle::k128;
  } else {
    return false;
  }
  return true;
}

bool ParseArgument(const std::string& text, RunArgument* argument) {
  Words parts = absl::StrSplit(text, ':');
  const std::string& kind = parts[0];
  if (kind == "map") return ParseMap(parts, argument);
  if (parts.size() < 2) return false;
  uint64_t value = 0;
  if (kind == "u32" || kind == "u64") {
    if (parts.size() != 2 || !ParseUnsigned(parts[1], &value)) return false;
    if (kind == "u32" && value > std::numeric_limits<uint32_t>::max()) {
      return false;
    }
    argument->value =
        kind == "u32" ? BytesOf(static_cast<uint32_t>(value)) : BytesOf(value);
    return true;
  }
  if (kind == "i32") {
    int32_t number = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &number)) return false;
    argument->value = BytesOf(number);
    return true;
  }
  if (kind == "f32") {
    float number = 0;
    if (parts.size() != 2 || !absl::SimpleAtof(parts[1], &number)) return false;
    argument->value = BytesOf(number);
    return true;
  }
  if (kind == "scratch") {
    argument->kind = RunArgument::Kind::kScratch;
    return parts.size() == 2 && ParseUnsigned(parts[1], &argument->bytes);
  }
  // File names may contain colons.
  std::string rest = text.substr(kind.size() + 1);
  if (kind == "in" || kind == "inout") {
    argument->kind =
        kind == "in" ? RunArgument::Kind::kIn : RunArgument::Kind::kInOut;
    argument->path = rest;
    return !rest.empty();
  }
  if (kind != "out") return false;
  size_t colon = rest.rfind(':');
  if (colon == std::string::npos) return false;
  argument->kind = RunArgument::Kind::kOut;
  argument->path = rest.substr(0, colon);
  return ParseUnsigned(rest.substr(colon + 1), &argument->bytes);
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
    return ParseArgument(value, &request->arguments.back());
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

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  char part[1 << 14];
  while (file.read(part, sizeof(part)) || file.gcount() > 0) {
    bytes.append(part, file.gcount());
  }
  // A folder opens, and fails only when it is read.
  if (!file.is_open() || file.bad()) {
    return absl::NotFoundError(absl::StrCat("cannot read ", path));
  }
  return bytes;
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
        (argument.of >= request.arguments.size() ||
         request.arguments[argument.of].kind == RunArgument::Kind::kValue ||
         request.arguments[argument.of].kind ==
             RunArgument::Kind::kTensorMap)) {
      return absl::InvalidArgumentError("a map must name a buffer argument");
    }
  }
  return request;
}

absl::StatusOr<RunResult> Execute(const RunRequest& request) {
  absl::StatusOr<std::string> text = ReadFile(request.path);
  if (!text.ok()) return text.status();
  Device device;
  absl::StatusOr<LoadedModule*> module = device.Load(*text);
  if (!module.ok()) return module.status();
  GlobalMemory& memory = device.memory();
  std::vector<uint64_t> addresses;
  std::vector<uint64_t> sizes;
  for (const RunArgument& argument : request.arguments) {
    uint64_t bytes = argument.bytes;
    std::string contents;
    if (argument.kind == RunArgument::Kind::kIn ||
        argument.kind == RunArgument::Kind::kInOut) {
      absl::StatusOr<std::string> file = ReadFile(argument.path);
      if (!file.ok()) return file.status();
      contents = *std::move(file);
      bytes = contents.size();
    }
    uint64_t address = 0;
    if (argument.kind != RunArgument::Kind::kValue &&
        argument.kind != RunArgument::Kind::kTensorMap) {
      address =
          memory.Allocate(bytes, absl::StrCat("argument ", addresses.size()));
      memory.Write(address, contents.data(), contents.size());
    }
    addresses.push_back(address);
    sizes.push_back(bytes);
  }
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
      map.address = addresses[argument.of];
      Findings wrong = CheckTensorMap(map);
      if (!wrong.empty()) return absl::InvalidArgumentError(wrong.front());
      uint8_t bytes[kTensorMapBytes];
      EncodeTensorMap(map, bytes);
      launch.Add(bytes, sizeof(bytes));
    } else {
      launch.Add(addresses[i]);
    }
  }
  absl::StatusOr<RunResult> result = device.Run(launch, request.options);
  if (!result.ok()) return result;
  for (size_t i = 0; i < request.arguments.size(); ++i) {
    const RunArgument& argument = request.arguments[i];
    if (argument.kind != RunArgument::Kind::kOut &&
        argument.kind != RunArgument::Kind::kInOut) {
      continue;
    }
    std::vector<char> bytes(sizes[i]);
    memory.Read(addresses[i], bytes.data(), bytes.size());
    std::ofstream file(argument.path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file) {
      return absl::PermissionDeniedError(
          absl::StrCat("cannot write ", argument.path));
    }
  }
  return result;
}

}  // namespace tiletune::emulator
