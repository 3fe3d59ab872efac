// PTX text as editable lines, and what stands on one of them.
//
// Use it to change single instructions of PTX that nvcc emitted (one statement
// a line) without losing the numbers of the other lines.
//
//   std::vector<std::string> lines = SplitLines(ptx);
//   Statement s = ParseStatement(lines[41]);
//   if (StartsWith(s.opcode, "fence.")) lines[41].clear();
//   Run(JoinLines(lines));
#ifndef TILETUNE_TESTING_EMULATOR_MUTATION_PTX_LINES_H_
#define TILETUNE_TESTING_EMULATOR_MUTATION_PTX_LINES_H_

#include <string>
#include <string_view>
#include <vector>

namespace tiletune::emulator {

std::vector<std::string> SplitLines(std::string_view text);
std::string JoinLines(const std::vector<std::string>& lines);
bool StartsWith(std::string_view text, std::string_view prefix);

// One instruction; the opcode is empty for anything else (labels, directives,
// braces, comments).
struct Statement {
  std::string guard;  // "@%p3 " or empty
  std::string opcode;
  std::vector<std::string> operands;  // "[%r1]", "{%r1, %r2}", "%p1"

  std::string Text() const;  // "@%p3 add.s32 %r1, %r2, 1;"
};
Statement ParseStatement(std::string_view line);

// `statement` with operand `i` changed by `instruction` ("xor", "add") and
// `constant`, on one line and in a scope of its own:
//   {.reg .b32 mutated; xor.b32 mutated, %r1, 1; OPCODE ... mutated;}
std::string WithChangedOperand(Statement statement, size_t i,
                               std::string_view instruction,
                               std::string_view constant);

// Where straight-line code ends: a label or a branch.
bool EndsBasicBlock(std::string_view line);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MUTATION_PTX_LINES_H_
