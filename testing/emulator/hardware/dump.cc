#include "testing/emulator/hardware/dump.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace tiletune::micro {
namespace {

constexpr char kHeader[] = "tiletune micro-kernel dump 1\n";

void PutField(std::ostream& file, const void* data, size_t size) {
  const uint8_t length[4] = {
      static_cast<uint8_t>(size), static_cast<uint8_t>(size >> 8),
      static_cast<uint8_t>(size >> 16), static_cast<uint8_t>(size >> 24)};
  file.write(reinterpret_cast<const char*>(length), 4);
  file.write(static_cast<const char*>(data),
             static_cast<std::streamsize>(size));
}

// The next field of `text` from *at on; false if it is cut short.
bool TakeField(const std::string& text, size_t* at, std::string* field) {
  if (text.size() - *at < 4) return false;
  size_t size = 0;
  for (size_t i = 0; i < 4; ++i) {
    size |= static_cast<size_t>(static_cast<uint8_t>(text[*at + i])) << 8 * i;
  }
  *at += 4;
  if (text.size() - *at < size) return false;
  *field = text.substr(*at, size);
  *at += size;
  return true;
}

}  // namespace

bool WriteDump(const std::string& path, const Dump& dump) {
  std::ofstream file(path, std::ios::binary);
  file << kHeader;
  for (const auto& [name, answer] : dump) {
    PutField(file, name.data(), name.size());
    PutField(file, answer.status.data(), answer.status.size());
    PutField(file, answer.bytes.data(), answer.bytes.size());
  }
  file.flush();
  return file.good();
}

bool ReadDump(const std::string& path, Dump* dump) {
  dump->clear();
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  size_t at = std::strlen(kHeader);
  if (text.compare(0, at, kHeader) != 0) return false;
  while (at < text.size()) {
    std::string name;
    std::string bytes;
    Answer answer;
    if (!TakeField(text, &at, &name) || !TakeField(text, &at, &answer.status) ||
        !TakeField(text, &at, &bytes)) {
      return false;
    }
    answer.bytes.assign(bytes.begin(), bytes.end());
    (*dump)[name] = answer;
  }
  return true;
}

}  // namespace tiletune::micro
