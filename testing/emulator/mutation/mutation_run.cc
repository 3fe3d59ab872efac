#include "testing/emulator/mutation/mutation_run.h"

#include <map>
#include <sstream>
#include <utility>

#include "nlohmann/json.hpp"
#include "testing/emulator/mutation/ptx_lines.h"

namespace tiletune::emulator {
namespace {

using Kind = MutantResult::Kind;

const char* Word(Kind kind) {
  switch (kind) {
    case Kind::kCaught:
      return "caught";
    case Kind::kEquivalent:
      return "equivalent";
    case Kind::kSurvived:
      return "survived";
    case Kind::kUnreached:
      return "not reached";
  }
  return "";
}

// The innermost place that is neither a wrapper of one instruction nor a
// header of CUDA.
std::string SourceOf(const std::vector<SourceFrame>& frames) {
  std::string source;
  for (const SourceFrame& frame : frames) {
    if (frame.file.find('/') == std::string::npos) continue;
    if (StartsWith(frame.file, "kernels/ptx/")) continue;
    source = frame.file + ":" + std::to_string(frame.line);
  }
  return source;
}

}  // namespace

std::string ToJsonLine(const MutantResult& result) {
  nlohmann::ordered_json json;
  json["id"] = result.id;
  json["operation"] = result.mutant->operation;
  json["line"] = result.mutant->line;
  json["text"] = result.text;
  if (!result.mutant->past.empty()) json["past"] = result.mutant->past;
  json["path"] = result.place.path;
  json["source"] = result.place.source;
  json["verdict"] = Word(result.kind);
  if (result.kind == Kind::kCaught) {
    json["check"] = result.verdict.check;
    json["message"] = result.verdict.message;
  }
  if (!result.argument.empty()) json["argument"] = result.argument;
  if (!result.error.empty()) json["error"] = result.error;
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

MutationRun::MutationRun(const MutantJudge& judge, const std::string& variant,
                         const std::string& ptx,
                         const EquivalenceArguments& arguments)
    : judge_(judge),
      variant_(variant),
      arguments_(arguments),
      source_(ptx),
      lines_(SplitLines(ptx)),
      mutants_(MakeMutants(ptx)) {}

const MutantResult& MutationRun::Try(size_t id) {
  MutantResult result;
  result.id = id;
  result.mutant = &mutants_[id];
  const int line = result.mutant->line;
  result.text = ParseStatement(lines_[line - 1]).Text();
  result.place = PlaceOf(*result.mutant);
  result.verdict = judge_.Try(*result.mutant);
  switch (result.verdict.kind) {
    case Verdict::Kind::kCaught:
      result.kind = Kind::kCaught;
      break;
    case Verdict::Kind::kSurvived:
      result.kind = Kind::kSurvived;
      break;
    case Verdict::Kind::kUnreached:
      result.kind = Kind::kUnreached;
      break;
  }
  const EquivalenceArgument* argument =
      arguments_.Find(*result.mutant, result.place);
  if (argument != nullptr) {
    result.argument = argument->id;
    result.error = WrongWith(*argument, result);
    if (result.kind == Kind::kSurvived && result.error.empty()) {
      result.kind = Kind::kEquivalent;
    }
  }
  results_.push_back(std::move(result));
  return results_.back();
}

MutantPlace MutationRun::PlaceOf(const Mutant& mutant) const {
  return {variant_, source_.Path(mutant.line),
          SourceOf(source_.At(mutant.line))};
}

std::string MutationRun::WrongWith(const EquivalenceArgument& argument,
                                   const MutantResult& result) const {
  if (result.kind == Kind::kCaught) return "it is caught";
  if (argument.redundant_with.empty()) return "";
  std::vector<const Mutant*> others;
  for (const Mutant& other : mutants_) {
    if (other.operation != "drop") continue;
    const MutantPlace place = PlaceOf(other);
    for (const MutantPattern& pattern : argument.redundant_with) {
      if (!pattern.Matches(other, place)) continue;
      others.push_back(&other);
      break;
    }
  }
  const Verdict verdict = judge_.TryTogether(*result.mutant, others);
  if (verdict.check == argument.then) return "";
  return "with " + std::to_string(others.size()) +
         " others dropped it gives \"" + verdict.check + "\", not \"" +
         argument.then + "\"";
}

int MutationRun::Count(MutantResult::Kind kind) const {
  int count = 0;
  for (const MutantResult& result : results_) count += result.kind == kind;
  return count;
}

double MutationRun::CatchRate() const {
  const int caught = Count(Kind::kCaught);
  const int all = caught + Count(Kind::kSurvived);
  return all == 0 ? 1 : static_cast<double>(caught) / all;
}

std::string MutationRun::Summary() const {
  std::map<std::string, int> checks, arguments;
  std::ostringstream survivors, errors;
  for (const MutantResult& result : results_) {
    const std::string line = result.mutant->Name() + " in " +
                             result.place.path + " (" + result.place.source +
                             ")";
    if (result.kind == Kind::kCaught) ++checks[result.verdict.check];
    if (result.kind == Kind::kEquivalent) ++arguments[result.argument];
    if (result.kind == Kind::kSurvived) survivors << "  " << line << "\n";
    if (!result.error.empty()) {
      errors << "  " << result.argument << ": " << line << ": " << result.error
             << "\n";
    }
  }
  std::ostringstream text;
  text.precision(1);
  text << std::fixed << variant_ << ": " << results_.size() << " mutants, "
       << Count(Kind::kCaught) << " caught, " << Count(Kind::kEquivalent)
       << " argued equivalent, " << Count(Kind::kSurvived) << " survived, "
       << Count(Kind::kUnreached) << " not reached: " << 100 * CatchRate()
       << " % of those not argued equivalent\ncaught by\n";
  for (const auto& [name, n] : checks) text << "  " << n << " " << name << "\n";
  text << "argued equivalent\n";
  for (const auto& [id, n] : arguments) text << "  " << n << " " << id << "\n";
  text << "survived\n" << survivors.str();
  text << "wrong arguments\n" << errors.str();
  return text.str();
}

}  // namespace tiletune::emulator
