#include "testing/emulator/mutation/equivalence.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "testing/emulator/mutation/ptx_lines.h"

namespace tiletune::emulator {
namespace {

using Json = nlohmann::json;

// The functions of `path` contain `functions` in this order.
bool LiesWithin(std::string_view path,
                const std::vector<std::string>& functions) {
  for (const std::string& function : functions) {
    bool found = false;
    while (!path.empty() && !found) {
      const size_t end = path.find(" > ");
      found = path.substr(0, end) == function;
      path = end == std::string_view::npos ? "" : path.substr(end + 3);
    }
    if (!found) return false;
  }
  return true;
}

// Throws, as nlohmann's getters do.
MutantPattern PatternFrom(const Json& json) {
  MutantPattern pattern;
  for (const auto& [key, value] : json.items()) {
    if (key == "kernel") {
      pattern.kernel = value.get<std::string>();
    } else if (key == "operations") {
      pattern.operations = value.get<std::vector<std::string>>();
    } else if (key == "instruction") {
      pattern.instruction = value.get<std::string>();
    } else if (key == "path") {
      pattern.path = value.get<std::string>();
    } else if (key == "source") {
      pattern.source = value.get<std::string>();
    } else if (key == "functions") {
      pattern.functions = value.get<std::vector<std::string>>();
    } else if (key == "previous") {
      pattern.previous = value.get<std::string>();
    } else if (key == "next") {
      pattern.next = value.get<std::string>();
    } else if (key == "past") {
      pattern.past = value.get<std::string>();
    } else {
      throw std::invalid_argument("unknown member of a pattern: " + key);
    }
  }
  return pattern;
}

std::vector<MutantPattern> PatternsFrom(const Json& json) {
  std::vector<MutantPattern> patterns;
  for (const Json& pattern : json) patterns.push_back(PatternFrom(pattern));
  return patterns;
}

EquivalenceArgument ArgumentFrom(const Json& json) {
  EquivalenceArgument argument;
  for (const auto& [key, value] : json.items()) {
    if (key == "id") {
      argument.id = value.get<std::string>();
    } else if (key == "reason") {
      argument.reason = value.get<std::string>();
    } else if (key == "mutants") {
      argument.mutants = PatternsFrom(value);
    } else if (key == "redundant_with") {
      argument.redundant_with = PatternsFrom(value);
    } else if (key == "then") {
      argument.then = value.get<std::string>();
    } else {
      throw std::invalid_argument("unknown member of an argument: " + key);
    }
  }
  if (argument.id.empty() || argument.reason.empty()) {
    throw std::invalid_argument("an argument without an id or a reason");
  }
  if (argument.redundant_with.empty() != argument.then.empty()) {
    throw std::invalid_argument(argument.id +
                                ": redundant_with and then belong together");
  }
  return argument;
}

}  // namespace

bool MutantPattern::Matches(const Mutant& mutant,
                            const MutantPlace& place) const {
  return place.variant.find(kernel) != std::string::npos &&
         (operations.empty() ||
          std::find(operations.begin(), operations.end(), mutant.operation) !=
              operations.end()) &&
         StartsWith(mutant.instruction, instruction) &&
         StartsWith(mutant.previous, previous) &&
         StartsWith(mutant.next, next) && StartsWith(mutant.past, past) &&
         (path.empty() || place.path == path) &&
         (source.empty() || place.source == source) &&
         LiesWithin(place.path, functions);
}

absl::StatusOr<EquivalenceArguments> EquivalenceArguments::Parse(
    const std::string& json) {
  EquivalenceArguments arguments;
  try {
    const Json document = Json::parse(json);
    for (const Json& argument : document.at("arguments")) {
      arguments.arguments_.push_back(ArgumentFrom(argument));
    }
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return arguments;
}

const EquivalenceArgument* EquivalenceArguments::Find(
    const Mutant& mutant, const MutantPlace& place) const {
  for (const EquivalenceArgument& argument : arguments_) {
    for (const MutantPattern& pattern : argument.mutants) {
      if (pattern.Matches(mutant, place)) return &argument;
    }
  }
  return nullptr;
}

}  // namespace tiletune::emulator
