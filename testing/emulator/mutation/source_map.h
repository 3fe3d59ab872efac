// SourceMap: which functions a line of PTX comes from.
//
// Use it on PTX that nvcc made with -lineinfo, to say where an instruction
// belongs without naming a line that the next compilation moves.
//
//   SourceMap map(ptx);
//   for (const SourceFrame& f : map.At(732))   // outermost first
//     std::cout << f.function << " at " << f.file << ":" << f.line << "\n";
//   map.Path(732);  // "GemmKernel > Producer::Run > ... > SupplyRing::Release"
#ifndef TILETUNE_TESTING_EMULATOR_MUTATION_SOURCE_MAP_H_
#define TILETUNE_TESTING_EMULATOR_MUTATION_SOURCE_MAP_H_

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tiletune::emulator {

// A place in the source. `function` has neither namespaces of the project nor
// template arguments nor parameters; it is empty in the kernel itself.
struct SourceFrame {
  std::string function;
  std::string file;  // "kernels/blackwell/producer.cuh"
  int line = 0;
};

class SourceMap {
 public:
  explicit SourceMap(const std::string& ptx);

  // The chain of inlined functions at PTX line `line` (1-based), outermost
  // first; empty where the PTX says nothing.
  std::vector<SourceFrame> At(int line) const;

  // The functions of At(), joined by " > ".
  std::string Path(int line) const;

 private:
  // The operands of .loc (PTX ISA 11.5.4): file, line, column.
  using Place = std::tuple<int, int, int>;
  struct Location {
    Place place;
    std::string function;  // a label of .debug_str
    int caller = -1;       // index of the location it was inlined at
  };

  void ReadLocation(std::string_view directive);
  void ReadFile(std::string_view directive);
  void ReadString(const std::vector<std::string>& lines, size_t label);

  std::vector<Location> locations_;
  std::vector<int> at_line_;  // index into locations_, -1 for none
  std::map<Place, int> latest_;
  std::map<int, std::string> files_;
  std::map<std::string, std::string> functions_;  // by label
};

// "Producer::Run" from "_ZN8tiletune9blackwell8ProducerI...E3RunE...".
std::string ShortFunctionName(const std::string& mangled);

}  // namespace tiletune::emulator

#endif  // TILETUNE_TESTING_EMULATOR_MUTATION_SOURCE_MAP_H_
