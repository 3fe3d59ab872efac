#include "testing/blackwell/pairwise.h"

#include <numeric>
#include <random>
#include <utility>

namespace tiletune {
namespace {

// The pairs not covered yet.
class OpenPairs {
 public:
  explicit OpenPairs(const std::vector<int>& levels) {
    first_.push_back(0);
    for (int level : levels) first_.push_back(first_.back() + level);
    const int values = first_.back();
    open_.assign(values, std::vector<bool>(values, false));
    const int factors = static_cast<int>(levels.size());
    for (int f = 0; f < factors; ++f) {
      for (int g = f + 1; g < factors; ++g) {
        count_ += levels[f] * levels[g];
        for (int i = first_[f]; i < first_[f + 1]; ++i) {
          for (int j = first_[g]; j < first_[g + 1]; ++j) open_[i][j] = true;
        }
      }
    }
  }

  int count() const { return count_; }
  bool IsOpen(int f, int value_f, int g, int value_g) const {
    return f < g ? open_[first_[f] + value_f][first_[g] + value_g]
                 : open_[first_[g] + value_g][first_[f] + value_f];
  }

  // Pairs that `value` of factor f would cover with what `row` has chosen.
  int Gain(const std::vector<int>& row, int f, int value) const {
    int gain = 0;
    for (int g = 0; g < static_cast<int>(row.size()); ++g) {
      if (g != f && row[g] >= 0 && IsOpen(f, value, g, row[g])) ++gain;
    }
    return gain;
  }

  void Cover(const std::vector<int>& row) {
    const int factors = static_cast<int>(row.size());
    for (int f = 0; f < factors; ++f) {
      for (int g = f + 1; g < factors; ++g) {
        auto pair = open_[first_[f] + row[f]].begin() + first_[g] + row[g];
        if (*pair) --count_;
        *pair = false;
      }
    }
  }

  // Puts some open pair into an empty row.
  void Begin(std::vector<int>* row, uint64_t which) const {
    int skip = static_cast<int>(which % count_);
    const int factors = static_cast<int>(row->size());
    for (int f = 0; f < factors; ++f) {
      for (int g = f + 1; g < factors; ++g) {
        for (int i = first_[f]; i < first_[f + 1]; ++i) {
          for (int j = first_[g]; j < first_[g + 1]; ++j) {
            if (!open_[i][j] || skip-- > 0) continue;
            (*row)[f] = i - first_[f];
            (*row)[g] = j - first_[g];
            return;
          }
        }
      }
    }
  }

 private:
  std::vector<int> first_;  // value v of factor f is number first_[f] + v
  std::vector<std::vector<bool>> open_;
  int count_ = 0;
};

}  // namespace

std::vector<std::vector<int>> PairwiseCover(const std::vector<int>& levels,
                                            uint64_t seed) {
  std::mt19937_64 random(seed);
  const int factors = static_cast<int>(levels.size());
  OpenPairs open(levels);
  std::vector<std::vector<int>> rows;
  while (open.count() > 0) {
    std::vector<int> row(factors, -1);
    open.Begin(&row, random());
    // The other factors in random order, each with its most useful value.
    std::vector<int> order(factors);
    std::iota(order.begin(), order.end(), 0);
    for (int i = factors - 1; i > 0; --i) {
      std::swap(order[i], order[random() % (i + 1)]);
    }
    for (int f : order) {
      if (row[f] >= 0) continue;
      int best_gain = -1;
      const int start = static_cast<int>(random() % levels[f]);
      for (int i = 0; i < levels[f]; ++i) {
        const int value = (start + i) % levels[f];
        const int gain = open.Gain(row, f, value);
        if (gain > best_gain) {
          best_gain = gain;
          row[f] = value;
        }
      }
    }
    open.Cover(row);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tiletune
