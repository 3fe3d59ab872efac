// Mutants: copies of a kernel's PTX with one thing wrong.
//
// Use them to see whether the emulator's checks, or a test, notice. They come
// from the text alone: nothing here knows a kernel.
//
//   for (const Mutant& m : MakeMutants(ptx)) {
//     std::cout << m.Name() << "\n";   // "drop tcgen05.wait::ld... line 1672"
//     Run(Apply(m, ptx));
//   }
#ifndef TILETUNE_TESTING_EMULATOR_MUTATION_MUTANT_H_
#define TILETUNE_TESTING_EMULATOR_MUTATION_MUTANT_H_

#include <string>
#include <utility>
#include <vector>

namespace tiletune::emulator {

struct Mutant {
  std::string operation;    // what was done: "drop", "flip parity of"
  std::string instruction;  // its opcode
  int line = 0;             // 1-based, of the unchanged text
  // Opcodes of the nearest instructions with an effect before and after it in
  // the text (loads of parameters left out), and of the one it was moved past.
  std::string previous;
  std::string next;
  std::string past;
  // 1-based lines and what replaces each; the others keep their numbers.
  std::vector<std::pair<int, std::string>> edits;

  std::string Name() const;
};

// Every mutant, in the order of the lines:
// - drop a fence, wait, commit, arrive, expect_tx or barrier;
// - move one of them past the next instruction with an effect, in either
//   direction where the text says that its operands are known there;
// - flip a parity; change a byte count, the count of a barrier, a field of a
//   matrix descriptor (PTX ISA 9.7.16.4.1) or instruction descriptor
//   (9.7.16.4.2), a multicast mask; wait for one bulk group less;
// - launch control: read a response after giving its slot back, believe a
//   refusal, go on after a refusal.
std::vector<Mutant> MakeMutants(const std::string& ptx);

// The text of a mutant.
std::string Apply(const Mutant& mutant, const std::string& ptx);

// Not a defect but a probe: `trap` in place of the mutant's line. A run that
// does not see it never reaches that line.
Mutant ProbeOf(const Mutant& mutant);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MUTATION_MUTANT_H_
