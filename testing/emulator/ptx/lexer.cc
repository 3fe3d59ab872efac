#include "testing/emulator/ptx/lexer.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

namespace tiletune::emulator::ptx {
namespace {

bool IsWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}

}  // namespace

void Lexer::Advance(size_t count) {
  for (size_t i = 0; i < count && position_ < text_.size(); ++i) {
    if (text_[position_++] == '\n') ++line_;
  }
}

bool Lexer::AtEnd() {
  while (position_ < text_.size()) {
    char c = text_[position_];
    if (c == '/' && At(position_ + 1) == '/') {
      SkipLine();
    } else if (c == '/' && At(position_ + 1) == '*') {
      Advance(2);
      while (position_ < text_.size() &&
             !(text_[position_] == '*' && At(position_ + 1) == '/')) {
        Advance(1);
      }
      Advance(2);
    } else if (std::isspace(static_cast<unsigned char>(c)) || c == '\0') {
      Advance(1);
    } else {
      return false;
    }
  }
  return true;
}

char Lexer::Peek() { return AtEnd() ? '\0' : text_[position_]; }

char Lexer::PeekSecond() { return AtEnd() ? '\0' : At(position_ + 1); }

bool Lexer::Accept(char c) {
  if (Peek() != c || c == '\0') return false;
  Advance(1);
  return true;
}

bool Lexer::AcceptWord(std::string_view word) {
  if (AtEnd()) return false;
  if (text_.substr(position_, word.size()) != word) return false;
  if (IsWordChar(At(position_ + word.size()))) return false;
  Advance(word.size());
  return true;
}

std::string Lexer::Word() {
  if (AtEnd()) return "";
  size_t end = position_;
  if (At(end) == '.') ++end;
  while (IsWordChar(At(end))) ++end;
  std::string word(text_.substr(position_, end - position_));
  Advance(end - position_);
  return word;
}

std::string Lexer::Opcode() {
  if (AtEnd()) return "";
  size_t end = position_;
  while (IsWordChar(At(end)) || At(end) == '.' ||
         (At(end) == ':' && (At(end + 1) == ':' || At(end - 1) == ':'))) {
    ++end;
  }
  std::string word(text_.substr(position_, end - position_));
  Advance(end - position_);
  return word;
}

bool Lexer::String(std::string* out) {
  if (!Accept('"')) return false;
  out->clear();
  while (position_ < text_.size() && text_[position_] != '"') {
    if (text_[position_] == '\\') {
      out->push_back(text_[position_]);
      Advance(1);
      if (position_ >= text_.size()) return false;
    }
    out->push_back(text_[position_]);
    Advance(1);
  }
  if (position_ >= text_.size()) return false;
  Advance(1);
  return true;
}

Lexer::NumberKind Lexer::Number(uint64_t* bits) {
  if (AtEnd() || !std::isdigit(static_cast<unsigned char>(text_[position_]))) {
    return NumberKind::kNone;
  }
  size_t end = position_;
  while (std::isalnum(static_cast<unsigned char>(At(end))) || At(end) == '.' ||
         ((At(end) == '-' || At(end) == '+') && end > position_ &&
          (At(end - 1) == 'e' || At(end - 1) == 'E') &&
          At(position_ + 1) != 'x' && At(position_ + 1) != 'X' &&
          At(position_ + 1) != 'f' && At(position_ + 1) != 'F' &&
          At(position_ + 1) != 'd' && At(position_ + 1) != 'D')) {
    ++end;
  }
  std::string token(text_.substr(position_, end - position_));
  char prefix = token.size() > 2 && token[0] == '0'
                    ? static_cast<char>(std::tolower(token[1]))
                    : '\0';
  char* stop = nullptr;
  NumberKind kind = NumberKind::kInteger;
  if (prefix == 'f' || prefix == 'd') {
    *bits = std::strtoull(token.c_str() + 2, &stop, 16);
    kind = prefix == 'f' ? NumberKind::kFloat32 : NumberKind::kFloat64;
  } else if (prefix == 'b') {
    *bits = std::strtoull(token.c_str() + 2, &stop, 2);
  } else if (prefix != 'x' && token.find_first_of(".eE") != token.npos) {
    double value = std::strtod(token.c_str(), &stop);
    std::memcpy(bits, &value, sizeof(value));
    kind = NumberKind::kFloat64;
  } else {
    *bits = std::strtoull(token.c_str(), &stop, 0);
  }
  if (stop != nullptr && (*stop == 'U' || *stop == 'u')) ++stop;
  if (stop == nullptr || *stop != '\0') return NumberKind::kNone;
  Advance(end - position_);
  return kind;
}

std::string Lexer::Text(size_t begin) const {
  while (begin < position_ &&
         std::isspace(static_cast<unsigned char>(text_[begin]))) {
    ++begin;
  }
  return std::string(text_.substr(begin, position_ - begin));
}

void Lexer::SkipPast(char c) {
  while (position_ < text_.size() && text_[position_] != c) Advance(1);
  Advance(1);
}

void Lexer::SkipLine() {
  while (position_ < text_.size() && text_[position_] != '\n') Advance(1);
}

}  // namespace tiletune::emulator::ptx
