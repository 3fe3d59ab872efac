// Character-level reader of PTX text: skips blanks and comments, reads words,
// numbers and strings, and knows the current line.
//
// Used by the parser only. PTX opcodes and identifiers cannot be split into
// one kind of token (".2d", "shared::cluster", "%r<10>"), so the parser asks
// for what it expects instead of receiving tokens.
//
//   Lexer lexer(text);
//   if (lexer.Accept('@')) guard = lexer.Identifier();
//   std::string opcode = lexer.Opcode();
//   if (!lexer.Accept(';')) return Error(lexer.line());
#ifndef TILETUNE_TESTING_EMULATOR_PTX_LEXER_H_
#define TILETUNE_TESTING_EMULATOR_PTX_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tiletune::emulator::ptx {

class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(std::string_view text) : text_(text) {}

  // 1-based line of the next character.
  int line() const { return line_; }
  size_t position() const { return position_; }
  // The text from `begin` to here, without leading blanks.
  std::string Text(size_t begin) const;

  // Skips blanks and comments; true when nothing is left.
  bool AtEnd();
  // The next significant character, or 0 at the end.
  char Peek();
  // The character right after the next significant one, or 0.
  char PeekSecond();
  // Consumes `c` if it is next.
  bool Accept(char c);
  // Consumes `word` if the next identifier or directive equals it.
  bool AcceptWord(std::string_view word);

  // [A-Za-z0-9_$%]+ with one leading '.' allowed; empty if none is next.
  std::string Word();
  // An identifier with dotted suffixes and "::", as in opcodes.
  std::string Opcode();
  // A double-quoted string without its quotes; escapes are kept verbatim.
  bool String(std::string* out);

  enum class NumberKind { kNone, kInteger, kFloat32, kFloat64 };
  // A literal of PTX ISA 4.5 without sign. Floats give their bit pattern;
  // decimal floats are doubles.
  NumberKind Number(uint64_t* bits);

  // Skips to just after the next `c` (or the end).
  void SkipPast(char c);
  void SkipLine();

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  void Advance(size_t count);

  std::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
};

}  // namespace tiletune::emulator::ptx

#endif  // TILETUNE_TESTING_EMULATOR_PTX_LEXER_H_
