#include "testing/emulator/mutation/ptx_lines.h"

#include <cctype>

namespace tiletune::emulator {
namespace {

std::string_view Strip(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0]))) {
    text.remove_prefix(1);
  }
  while (!text.empty() &&
         std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

// "b16", "b32" or "b64", after nvcc's names of registers.
std::string TypeOf(std::string_view operand) {
  if (StartsWith(operand, "%rd")) return "b64";
  if (StartsWith(operand, "%rs")) return "b16";
  return "b32";
}

std::vector<std::string> SplitOperands(std::string_view text) {
  std::vector<std::string> operands;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c != ',' || depth != 0) continue;
    const std::string_view operand = Strip(text.substr(begin, i - begin));
    if (!operand.empty()) operands.emplace_back(operand);
    begin = i + 1;
  }
  return operands;
}

}  // namespace

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string JoinLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string Statement::Text() const {
  std::string text = guard + opcode;
  for (size_t i = 0; i < operands.size(); ++i) {
    text += (i == 0 ? " " : ", ") + operands[i];
  }
  return text + ";";
}

Statement ParseStatement(std::string_view line) {
  Statement statement;
  line = Strip(line);
  if (line.empty() || line.back() != ';') return statement;
  line = Strip(line.substr(0, line.size() - 1));
  if (line[0] == '@') {
    const size_t end = line.find_first_of(" \t");
    if (end == std::string_view::npos) return statement;
    statement.guard = std::string(line.substr(0, end)) + " ";
    line = Strip(line.substr(end));
  }
  if (line.empty() || !std::islower(static_cast<unsigned char>(line[0]))) {
    return statement;
  }
  const size_t end = line.find_first_of(" \t");
  statement.opcode = std::string(line.substr(0, end));
  if (end != std::string_view::npos) {
    statement.operands = SplitOperands(line.substr(end));
  }
  return statement;
}

std::string WithChangedOperand(Statement statement, size_t i,
                               std::string_view instruction,
                               std::string_view constant) {
  const std::string old = statement.operands[i];
  std::string type = TypeOf(old);
  const std::string scope = "{.reg ." + type + " mutated; ";
  if (instruction == "add") type[0] = 's';
  statement.operands[i] = "mutated";
  return scope + std::string(instruction) + "." + type + " mutated, " + old +
         ", " + std::string(constant) + "; " + statement.Text() + "}";
}

bool EndsBasicBlock(std::string_view line) {
  line = Strip(line);
  if (!line.empty() && line.back() == ':') return true;
  const std::string opcode = ParseStatement(line).opcode;
  return StartsWith(opcode, "bra") || opcode == "ret" || opcode == "exit";
}

}  // namespace tiletune::emulator
