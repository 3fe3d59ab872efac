#include "testing/emulator/device.h"

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "testing/emulator/machine/machine.h"
#include "testing/emulator/ptx/parser.h"

namespace tiletune::emulator {
namespace {

constexpr uint64_t kMaxThreads = 1024;
constexpr uint32_t kMaxBlockZ = 64;
constexpr uint32_t kMaxSharedPerCta = 232448;  // 227 KiB, sm_90 and sm_100
constexpr uint64_t kMaxCluster = 16;

absl::Status CheckShape(const Launch& launch, const Program& program) {
  const Dim3& grid = launch.grid;
  const Dim3& cluster = launch.cluster;
  if (grid.Count() == 0 || launch.block.Count() == 0 || cluster.Count() == 0) {
    return absl::InvalidArgumentError("grid, block or cluster is empty");
  }
  if (grid.x > 0x7FFFFFFF || grid.y > 65535 || grid.z > 65535) {
    return absl::InvalidArgumentError("grid exceeds 2^31-1 x 65535 x 65535");
  }
  const Dim3& block = launch.block;
  if (block.x > kMaxThreads || block.y > kMaxThreads || block.z > kMaxBlockZ) {
    return absl::InvalidArgumentError("block exceeds 1024 x 1024 x 64");
  }
  if (block.Count() > kMaxThreads) {
    return absl::InvalidArgumentError("block has more than 1024 threads");
  }
  const uint32_t* threads = program.entry->required_block;
  if (threads[0] != 0 && (threads[0] != block.x || threads[1] != block.y ||
                          threads[2] != block.z)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the kernel requires a block of ", threads[0], "x",
                     threads[1], "x", threads[2], " (.reqntid)"));
  }
  if (program.entry->max_threads != 0 &&
      launch.block.Count() > program.entry->max_threads) {
    return absl::InvalidArgumentError("block exceeds the kernel's .maxntid");
  }
  if (cluster.Count() > kMaxCluster) {
    return absl::InvalidArgumentError("cluster has more than 16 CTAs");
  }
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 ||
      grid.z % cluster.z != 0) {
    return absl::InvalidArgumentError("the cluster does not divide the grid");
  }
  const uint32_t* required = program.entry->required_cluster;
  if (required[0] != 0 &&
      (required[0] != cluster.x || required[1] != cluster.y ||
       required[2] != cluster.z)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the kernel requires a cluster of ", required[0], "x",
                     required[1], "x", required[2]));
  }
  if (program.dynamic_shared_offset - kSharedBase + launch.dynamic_shared >
      kMaxSharedPerCta) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the CTA needs ",
        program.dynamic_shared_offset - kSharedBase + launch.dynamic_shared,
        " bytes of shared memory, more than ", kMaxSharedPerCta));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> PackArguments(const Launch& launch,
                                                   const Program& program) {
  const auto& parameters = program.entry->parameters;
  if (launch.arguments.size() != parameters.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the kernel has ", parameters.size(), " parameters, ",
                     launch.arguments.size(), " arguments were given"));
  }
  std::vector<uint8_t> block(program.parameter_bytes);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (launch.arguments[i].size() != parameters[i].bytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter ", i, " has ", parameters[i].bytes,
                       " bytes, argument ", launch.arguments[i].size()));
    }
    std::copy(launch.arguments[i].begin(), launch.arguments[i].end(),
              block.begin() +
                  static_cast<std::ptrdiff_t>(program.parameter_offsets[i]));
  }
  return block;
}

}  // namespace

absl::StatusOr<LoadedModule*> Device::Load(std::string_view ptx_text) {
  absl::StatusOr<ptx::Module> parsed = ptx::Parse(ptx_text);
  if (!parsed.ok()) return parsed.status();
  auto module = std::make_unique<LoadedModule>();
  module->ptx = *std::move(parsed);
  std::vector<std::pair<const ptx::Variable*, uint64_t>> placed;
  auto place = [&](const ptx::Variable& variable, const std::string& name) {
    if (variable.space != ptx::Space::kGlobal &&
        variable.space != ptx::Space::kConst) {
      return;
    }
    uint64_t address = memory_.Allocate(variable.bytes, variable.name);
    // Module variables start as zero (PTX ISA 5.4.4).
    memory_.Fill(address, 0, variable.bytes);
    if (!variable.initial.empty()) {
      memory_.Write(address, variable.initial.data(), variable.initial.size());
    }
    module->symbols[name] = address;
    placed.emplace_back(&variable, address);
  };
  for (const ptx::Variable& variable : module->ptx.variables) {
    place(variable, variable.name);
  }
  for (const ptx::Function& function : module->ptx.functions) {
    for (const ptx::Variable& variable : function.variables) {
      place(variable, function.name + "::" + variable.name);
    }
  }
  for (const auto& [variable, address] : placed) {
    for (const ptx::Relocation& relocation : variable->relocations) {
      auto it = module->symbols.find(relocation.symbol);
      if (it == module->symbols.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("line ", variable->line, ": '", relocation.symbol,
                         "' in an initialiser is unknown"));
      }
      uint64_t value = it->second + static_cast<uint64_t>(relocation.addend);
      memory_.Write(address + relocation.offset, &value,
                    static_cast<uint64_t>(std::min(relocation.bytes, 8)));
    }
    if (variable->space == ptx::Space::kConst && variable->bytes != 0) {
      memory_.Find(address, 1)->constant = true;
    }
  }
  modules_.push_back(std::move(module));
  return modules_.back().get();
}

absl::StatusOr<const Program*> Device::Find(LoadedModule* module,
                                            const std::string& entry) {
  std::unique_ptr<Program>& program = module->programs[entry];
  if (program == nullptr) {
    auto decoded = Decode(module->ptx, entry, module->symbols);
    if (!decoded.ok()) return decoded.status();
    program = *std::move(decoded);
  }
  return program.get();
}

absl::Status Device::Check(const Launch& launch) {
  absl::StatusOr<const Program*> program = Find(launch.module, launch.entry);
  if (!program.ok()) return program.status();
  absl::Status shape = CheckShape(launch, **program);
  return shape.ok() ? PackArguments(launch, **program).status() : shape;
}

absl::StatusOr<RunResult> Device::Run(const Launch& launch,
                                      const RunOptions& options) {
  return RunChain({launch}, options);
}

absl::StatusOr<RunResult> Device::RunChain(const std::vector<Launch>& launches,
                                           const RunOptions& options) {
  if (!options.trace_path.empty() && !std::ofstream(options.trace_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot write the trace ", options.trace_path));
  }
  Machine machine(options, &memory_);
  for (const Launch& launch : launches) {
    absl::StatusOr<const Program*> program = Find(launch.module, launch.entry);
    if (!program.ok()) return program.status();
    absl::Status shape = CheckShape(launch, **program);
    if (!shape.ok()) return shape;
    auto parameters = PackArguments(launch, **program);
    if (!parameters.ok()) return parameters.status();
    const GridShape grid{launch.grid, launch.block, launch.cluster,
                         launch.dynamic_shared};
    machine.AddGrid(**program, grid, *parameters, launch.entry).programmatic =
        launch.programmatic;
  }
  machine.Run();
  return machine.TakeResult();
}

}  // namespace tiletune::emulator
