#include "testing/emulator/machine/printf.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "testing/emulator/machine/machine.h"

namespace tiletune::emulator {
namespace {

std::string ReadString(Warp& warp, const Inst& inst, int lane,
                       uint64_t address) {
  std::string text;
  while (text.size() < 4096) {
    Location at = warp.machine->Locate(warp, inst, lane, MemorySpace::kGeneric,
                                       address + text.size(), 1, false);
    if (at.data == nullptr || *at.data == 0) break;
    text.push_back(static_cast<char>(*at.data));
  }
  return text;
}

uint64_t ReadLocalWord(Warp& warp, int lane, uint32_t offset) {
  uint64_t value = 0;
  std::memcpy(&value,
              warp.local.data() +
                  size_t{warp.machine->program().local_bytes} *
                      static_cast<size_t>(lane) +
                  offset,
              sizeof(value));
  return value;
}

}  // namespace

int FormatPrintf(Warp& warp, const Inst& inst, int lane, uint32_t format_param,
                 uint32_t buffer_param) {
  std::string format =
      ReadString(warp, inst, lane, ReadLocalWord(warp, lane, format_param));
  uint64_t next = ReadLocalWord(warp, lane, buffer_param);
  std::string* out = &warp.machine->printed();
  int arguments = 0;
  auto read = [&](uint32_t bytes) -> uint64_t {
    next = (next + bytes - 1) / bytes * bytes;
    uint64_t value = 0;
    Location at = warp.machine->Locate(warp, inst, lane, MemorySpace::kGeneric,
                                       next, bytes, false);
    if (at.data != nullptr) std::memcpy(&value, at.data, bytes);
    next += bytes;
    return value;
  };
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out->push_back(format[i]);
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      out->push_back('%');
      ++i;
      continue;
    }
    std::string spec = "%";
    bool wide = false;
    for (++i; i < format.size(); ++i) {
      char c = format[i];
      if (c == 'l' || c == 'z' || c == 'j' || c == 't') {
        wide = true;
        continue;
      }
      if (c == 'h') continue;
      if (c == '*') {
        spec += std::to_string(static_cast<int>(read(4)));
        continue;
      }
      spec += c;
      if (std::strchr("diouxXcsfFeEgGaAp", c) != nullptr) break;
    }
    char conversion = spec.back();
    char buffer[512];
    if (std::strchr("fFeEgGaA", conversion) != nullptr) {
      uint64_t bits = read(8);
      double value;
      std::memcpy(&value, &bits, sizeof(value));
      std::snprintf(buffer, sizeof(buffer), spec.c_str(), value);
    } else if (conversion == 's') {
      std::string text = ReadString(warp, inst, lane, read(8));
      std::snprintf(buffer, sizeof(buffer), spec.c_str(), text.c_str());
    } else if (conversion == 'p') {
      std::snprintf(buffer, sizeof(buffer), "0x%llx",
                    static_cast<unsigned long long>(read(8)));
    } else if (std::strchr("diouxXc", conversion) != nullptr) {
      if (wide) {
        spec.insert(spec.size() - 1, "ll");
        std::snprintf(buffer, sizeof(buffer), spec.c_str(),
                      static_cast<unsigned long long>(read(8)));
      } else {
        std::snprintf(buffer, sizeof(buffer), spec.c_str(),
                      static_cast<unsigned int>(read(4)));
      }
    } else {
      break;
    }
    *out += buffer;
    ++arguments;
  }
  return arguments;
}

}  // namespace tiletune::emulator
