#include "testing/emulator/mutation/mutant.h"

#include <initializer_list>
#include <string_view>

#include "testing/emulator/mutation/ptx_lines.h"

namespace tiletune::emulator {
namespace {

bool StartsWithAny(std::string_view text,
                   std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes) {
    if (StartsWith(text, prefix)) return true;
  }
  return false;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// What has an effect that others can see, or orders such effects.
bool HasEffect(std::string_view opcode) {
  return StartsWithAny(opcode,
                       {"ld.", "st.", "atom.", "red.", "tcgen05.", "mbarrier.",
                        "cp.async.", "fence.", "bar.", "barrier.",
                        "clusterlaunchcontrol.", "griddepcontrol."});
}

bool IsOrdering(std::string_view opcode) {
  return StartsWithAny(
      opcode, {"fence.", "tcgen05.fence", "tcgen05.wait", "tcgen05.commit",
               "tcgen05.relinquish", "bar.", "barrier.", "mbarrier.arrive",
               "cp.async.bulk.commit_group", "cp.async.bulk.wait_group",
               "griddepcontrol."});
}

// One field of a descriptor and the bit to flip.
struct Field {
  const char* name;
  int bit;
};

// PTX ISA 9.7.16.4.1, table "Shared memory descriptor layout".
constexpr Field kMatrixFields[] = {
    {"start address of", 0},       {"leading byte offset of", 16},
    {"stride byte offset of", 32}, {"version of", 46},
    {"swizzle mode of", 62},
};

// PTX ISA 9.7.16.4.2, table "Instruction descriptor", kinds f16 and f8f6f4.
constexpr Field kInstructionFields[] = {
    {"D format of", 4},
    {"A format of", 7},
    {"B format of", 10},
    {"negation of A of", 13},
    {"negation of B of", 14},
    {"majorness of A of", 15},
    {"majorness of B of", 16},
    {"N of", 17},
    {"M of", 24},
};

class Generator {
 public:
  explicit Generator(const std::string& ptx) : lines_(SplitLines(ptx)) {}

  std::vector<Mutant> Run() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      const Statement s = ParseStatement(lines_[i]);
      if (s.opcode.empty()) continue;
      if (IsOrdering(s.opcode)) {
        Add("drop", i, s, "");
        MoveLater(i, s);
        MoveEarlier(i, s);
      }
      ChangeBarrier(i, s);
      ChangeMma(i, s);
      ChangeCopy(i, s);
      ChangeLaunchControl(i, s);
    }
    return std::move(mutants_);
  }

 private:
  Mutant& Add(const std::string& operation, size_t i, const Statement& s,
              const std::string& replacement) {
    Mutant m;
    m.operation = operation;
    m.instruction = s.opcode;
    m.line = static_cast<int>(i) + 1;
    m.previous = Neighbour(i, -1);
    m.next = Neighbour(i, 1);
    m.edits.emplace_back(m.line, replacement);
    mutants_.push_back(std::move(m));
    return mutants_.back();
  }

  std::string Neighbour(size_t i, int step) const {
    for (size_t j = i + step; j < lines_.size(); j += step) {
      const std::string opcode = ParseStatement(lines_[j]).opcode;
      if (HasEffect(opcode) && !StartsWith(opcode, "ld.param")) return opcode;
    }
    return "";
  }

  // The mutant with statement `s` taken from line `i` and put to line `j`,
  // before or behind what stands there.
  void Move(const std::string& operation, size_t i, const Statement& s,
            size_t j) {
    Mutant& m = Add(operation, i, s, "");
    m.past = ParseStatement(lines_[j]).opcode;
    m.edits.emplace_back(
        static_cast<int>(j) + 1,
        i < j ? lines_[j] + " " + s.Text() : s.Text() + " " + lines_[j]);
  }

  void ChangeOperand(const std::string& operation, size_t i, const Statement& s,
                     size_t operand, std::string_view instruction,
                     std::string_view constant) {
    Add(operation, i, s, WithChangedOperand(s, operand, instruction, constant));
  }

  // Registers keep their values in straight-line code up to where they are
  // written again, which nvcc rarely does.
  void MoveLater(size_t i, const Statement& s) {
    for (size_t j = i + 1; j < lines_.size(); ++j) {
      if (EndsBasicBlock(lines_[j])) return;
      if (!HasEffect(ParseStatement(lines_[j]).opcode)) continue;
      return Move("move later", i, s, j);
    }
  }

  // Without operands only: what they name might not be computed yet.
  void MoveEarlier(size_t i, const Statement& s) {
    for (const std::string& operand : s.operands) {
      if (operand[0] == '%' || operand[0] == '[') return;
    }
    for (size_t j = i; j-- > 0;) {
      if (EndsBasicBlock(lines_[j])) return;
      if (!HasEffect(ParseStatement(lines_[j]).opcode)) continue;
      return Move("move earlier", i, s, j);
    }
  }

  void ChangeBarrier(size_t i, const Statement& s) {
    const size_t last = s.operands.size() - 1;
    if (StartsWith(s.opcode, "mbarrier.try_wait.parity")) {
      Add("drop", i, s, "setp.eq.u32 " + s.operands[0] + ", 0, 0;");
      ChangeOperand("flip parity of", i, s, 2, "xor", "1");
    } else if (StartsWith(s.opcode, "mbarrier.arrive.expect_tx")) {
      ChangeOperand("expect 16 bytes more in", i, s, last, "add", "16");
      ChangeOperand("expect 16 bytes less in", i, s, last, "add", "-16");
      Statement arrive = s;
      arrive.opcode.replace(0, 25, "mbarrier.arrive");
      arrive.operands[last] = "1";
      Add("expect nothing in", i, s, arrive.Text());
    } else if (StartsWith(s.opcode, "mbarrier.init")) {
      ChangeOperand("one arrival more in", i, s, last, "add", "1");
      ChangeOperand("one arrival less in", i, s, last, "add", "-1");
    }
  }

  void ChangeMma(size_t i, const Statement& s) {
    if (!StartsWith(s.opcode, "tcgen05.mma.") || s.operands.size() < 4) return;
    for (size_t operand : {1, 2}) {
      const std::string of = operand == 1 ? " A in" : " B in";
      for (const Field& f : kMatrixFields) {
        ChangeOperand(f.name + of, i, s, operand, "xor",
                      std::to_string(uint64_t{1} << f.bit));
      }
    }
    for (const Field& f : kInstructionFields) {
      ChangeOperand(std::string(f.name) + " the instruction descriptor in", i,
                    s, 3, "xor", std::to_string(1u << f.bit));
    }
  }

  void ChangeCopy(size_t i, const Statement& s) {
    if (StartsWith(s.opcode, "cp.async.bulk.wait_group")) {
      Statement fewer = s;
      fewer.operands[0] = std::to_string(std::stoi(s.operands[0]) + 1);
      Add("one group less in", i, s, fewer.Text());
    }
    const bool has_mask = Contains(s.opcode, ".multicast::cluster") &&
                          !StartsWith(s.opcode, "clusterlaunchcontrol");
    if (!has_mask) return;
    const size_t mask = s.operands.size() - 1;
    ChangeOperand("bit 0 of the mask of", i, s, mask, "xor", "1");
    ChangeOperand("bit 1 of the mask of", i, s, mask, "xor", "2");
  }

  // Expects, after the query, "selp SUCCESS, 1, 0, PREDICATE" and the guarded
  // query of the CTA's index.
  void ChangeLaunchControl(size_t i, const Statement& s) {
    if (!StartsWith(s.opcode, "clusterlaunchcontrol.query_cancel.is_canceled"))
      return;
    const std::string yes = "setp.eq.u32 " + s.operands[0] + ", 0, 0;";
    Add("believe a refusal in", i, s, s.Text() + " " + yes);
    if (i + 1 < lines_.size()) {
      const Statement select = ParseStatement(lines_[i + 1]);
      if (StartsWith(select.opcode, "selp.")) {
        const std::string one = "mov.u32 " + select.operands[0] + ", 1;";
        Add("go on after a refusal in", i, s, lines_[i])
            .edits.emplace_back(static_cast<int>(i) + 2, one);
      }
    }
    ReadLate(i, s);
  }

  // Moves the braces around the query behind the label that follows the next
  // arrive, where the elected lane has joined the others again.
  void ReadLate(size_t i, const Statement& s) {
    size_t open = i, close = i;
    while (open > 0 && lines_[open] != "\t{" && lines_[open] != "{") --open;
    while (close < lines_.size() && lines_[close] != "}") ++close;
    size_t to = close;
    while (to < lines_.size() &&
           !StartsWith(ParseStatement(lines_[to]).opcode, "mbarrier.arrive")) {
      ++to;
    }
    while (to < lines_.size() &&
           (lines_[to].empty() || lines_[to].back() != ':')) {
      ++to;
    }
    if (to >= lines_.size() || to - i > 200) return;
    Mutant& m = Add("read the response late in", i, s, "");
    std::string moved = lines_[to];
    m.edits.clear();
    for (size_t j = open; j <= close; ++j) {
      moved += " " + lines_[j];
      m.edits.emplace_back(static_cast<int>(j) + 1, "");
    }
    m.edits.emplace_back(static_cast<int>(to) + 1, moved);
  }

  const std::vector<std::string> lines_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::string Mutant::Name() const {
  return operation + " " + instruction + ", line " + std::to_string(line);
}

std::vector<Mutant> MakeMutants(const std::string& ptx) {
  return Generator(ptx).Run();
}

std::string Apply(const Mutant& mutant, const std::string& ptx) {
  std::vector<std::string> lines = SplitLines(ptx);
  for (const auto& [line, text] : mutant.edits) lines[line - 1] = text;
  return JoinLines(lines);
}

Mutant ProbeOf(const Mutant& mutant) {
  Mutant probe = mutant;
  probe.operation = "trap in place of";
  probe.edits = {{mutant.line, "trap;"}};
  return probe;
}

}  // namespace tiletune::emulator
