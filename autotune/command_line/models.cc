#include "autotune/command_line/models.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tiletune {
namespace {

// A transformer with grouped-query attention and a gated MLP, in the words of
// Hugging Face's config.json.
struct Dense {
  std::string_view model;
  int64_t hidden_size;
  int64_t intermediate_size;
  int64_t num_attention_heads;
  int64_t num_key_value_heads;
  int64_t head_dim;
};

constexpr Dense kDense[] = {
    {"llama-3.1-8b", 4096, 14336, 32, 8, 128},
    {"llama-3.1-70b", 8192, 28672, 64, 8, 128},
    {"llama-3.1-405b", 16384, 53248, 128, 8, 128},
    {"mistral-small-24b", 5120, 32768, 32, 8, 128},
    {"qwen2.5-7b", 3584, 18944, 28, 4, 128},
    {"qwen2.5-32b", 5120, 27648, 40, 8, 128},
};

void Append(const Dense& d, std::vector<ModelLayer>* layers) {
  const int64_t q = d.num_attention_heads * d.head_dim;
  const int64_t kv = d.num_key_value_heads * d.head_dim;
  layers->push_back({d.model, "qkv", q + 2 * kv, d.hidden_size});
  layers->push_back({d.model, "attention output", d.hidden_size, q});
  layers->push_back(
      {d.model, "gate and up", 2 * d.intermediate_size, d.hidden_size});
  layers->push_back({d.model, "down", d.hidden_size, d.intermediate_size});
}

// Multi-head latent attention: hidden_size 7168, q_lora_rank 1536,
// kv_lora_rank 512, qk_nope_head_dim 128, qk_rope_head_dim 64, v_head_dim 128,
// 128 heads, intermediate_size 18432, moe_intermediate_size 2048.
constexpr ModelLayer kDeepSeekV3[] = {
    {"deepseek-v3", "q and kv down", 1536 + 512 + 64, 7168},
    {"deepseek-v3", "q up", 128 * (128 + 64), 1536},
    {"deepseek-v3", "kv up", 128 * (128 + 128), 512},
    {"deepseek-v3", "attention output", 7168, 128 * 128},
    {"deepseek-v3", "gate and up", 2 * 18432, 7168},
    {"deepseek-v3", "down", 7168, 18432},
    {"deepseek-v3", "expert gate and up", 2 * 2048, 7168},
    {"deepseek-v3", "expert down", 7168, 2048},
};

// Of every model where `model` is empty.
void AppendShapes(std::string_view model, const std::vector<int64_t>& tokens,
                  std::vector<Shape>* shapes) {
  for (int64_t m : tokens) {
    for (const ModelLayer& layer : ModelLayers()) {
      if (!model.empty() && layer.model != model) continue;
      const bool known =
          std::any_of(shapes->begin(), shapes->end(), [&](const Shape& s) {
            return s.m == m && s.n == layer.n && s.k == layer.k;
          });
      if (!known) shapes->push_back({m, layer.n, layer.k, 1});
    }
  }
}

bool IsModel(const std::string& name) {
  return std::any_of(
      ModelLayers().begin(), ModelLayers().end(),
      [&](const ModelLayer& layer) { return layer.model == name; });
}

absl::Status NoModel(const std::string& name) {
  std::string names = "quick, all";
  std::string_view last;
  for (const ModelLayer& layer : ModelLayers()) {
    if (layer.model == last) continue;
    last = layer.model;
    absl::StrAppend(&names, ", ", std::string(last));
  }
  return absl::NotFoundError(
      absl::StrCat("there is no model '", name, "'; there are ", names));
}

}  // namespace

const std::vector<ModelLayer>& ModelLayers() {
  static const auto* const layers = [] {
    auto* all = new std::vector<ModelLayer>;
    for (const Dense& dense : kDense) Append(dense, all);
    all->insert(all->end(), std::begin(kDeepSeekV3), std::end(kDeepSeekV3));
    return all;
  }();
  return *layers;
}

absl::StatusOr<std::vector<Shape>> ShapesOfModels(std::string_view models) {
  const std::vector<int64_t> tokens(std::begin(kTokens), std::end(kTokens));
  std::vector<Shape> shapes;
  const std::string copy(models);
  for (const std::string& model :
       std::vector<std::string>(absl::StrSplit(copy, ','))) {
    if (model == "quick") {
      AppendShapes("llama-3.1-8b", {16, 4096}, &shapes);
    } else if (model == "all") {
      AppendShapes("", tokens, &shapes);
    } else if (IsModel(model)) {
      AppendShapes(model, tokens, &shapes);
    } else {
      return NoModel(model);
    }
  }
  return shapes;
}

}  // namespace tiletune
