// From databases to the entries of a choice table. Never fails: what cannot be
// read or must not be launched is left out, with a warning.
//
//   LoadRequest request;
//   request.user_database = DefaultDatabasePath();
//   request.device = device;
//   Loaded loaded = LoadChoices(request, &warnings);
//   ChoiceTable table(loaded.entries);
#ifndef TILETUNE_DISPATCH_LOADER_H_
#define TILETUNE_DISPATCH_LOADER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "autotune/store/measurement.h"
#include "dispatch/backend.h"
#include "dispatch/choice_table.h"
#include "dispatch/warnings.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tiletune {

// A config that the caller wants for a problem, whatever was measured.
struct Pin {
  GemmProblem problem;
  std::string config;  // ConfigKey()
};

struct LoadRequest {
  std::string user_database;    // empty: none
  std::string system_database;  // empty: none; nobody may write to this one
  DeviceFacts device;
  MeasurementPolicy policy;
  std::vector<Pin> pins;
  // Winners of one sum order a layer (kernels/batch_invariant.h), no others.
  bool batch_invariant = false;
  const GemmBackend* backend = &LinkedBackend();
};

struct Loaded {
  // Pins, then the user's winners, then the system's: most trusted first. For
  // each problem the winner under the policy asked for, else under the default
  // policy, else under the first other one.
  std::vector<TableEntry> entries;
  // What the cost model said of this device, or of a modelled one with the
  // same facts. The user's first.
  std::vector<TableEntry> predictions;
  // Batch invariant: the sum order of each layer that was measured, and only
  // configs of it among the entries. It is the one in which most of the layer's
  // problems were measured, and of these the one with the shortest times.
  absl::flat_hash_map<GemmProblem, std::string> sum_orders;
};

Loaded LoadChoices(const LoadRequest& request, Warnings* warnings);

}  // namespace tiletune

#endif  // TILETUNE_DISPATCH_LOADER_H_
