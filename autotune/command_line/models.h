// The GEMMs of published language models: what there is to tune when the user
// names no shapes.
//
//   for (const ModelLayer& layer : ModelLayers())
//     if (layer.model == "llama-3.1-8b") Use(layer.n, layer.k);
//   std::vector<Shape> shapes = *ShapesOfModels("quick");
#ifndef TILETUNE_AUTOTUNE_COMMAND_LINE_MODELS_H_
#define TILETUNE_AUTOTUNE_COMMAND_LINE_MODELS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "autotune/command_line/shape.h"

namespace tiletune {

// A linear layer: D[tokens x n] = X[tokens x k] W[k x n], unsharded.
struct ModelLayer {
  std::string_view model;
  std::string_view layer;
  int64_t n;
  int64_t k;
};

// From the config.json that each model's authors publish; models.cc has the
// fields they are computed from.
const std::vector<ModelLayer>& ModelLayers();

// Token counts that stand for decoding and for prefill.
inline constexpr int64_t kTokens[] = {1, 16, 64, 256, 1024, 4096, 8192};

// "quick": one model's layers at M = 16 and 4096, for a first run of a minute
// or so. "all": every layer at every token count. Else the name of a model: its
// layers at every token count. Several of these are separated by commas;
// without duplicates, in a fixed order. NotFound lists the names.
absl::StatusOr<std::vector<Shape>> ShapesOfModels(std::string_view models);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_COMMAND_LINE_MODELS_H_
