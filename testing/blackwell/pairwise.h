// Pairwise cover: few rows of choices in which every pair of values of every
// two factors occurs together.
//
// Use it to choose test cases where trying everything would take for ever.
//
//   // Three factors with 2, 3 and 2 values:
//   for (const std::vector<int>& row : PairwiseCover({2, 3, 2}, /*seed=*/1))
//     Try(row[0], row[1], row[2]);
#ifndef TILETUNE_TESTING_BLACKWELL_PAIRWISE_H_
#define TILETUNE_TESTING_BLACKWELL_PAIRWISE_H_

#include <cstdint>
#include <vector>

namespace tiletune {

// Rows of one value in [0, levels[f]) for each factor f. The same rows for the
// same arguments on every machine. Greedy, after the AETG system: Cohen,
// Dalal, Fredman, Patton, IEEE Trans. Software Eng. 23 (1997).
std::vector<std::vector<int>> PairwiseCover(const std::vector<int>& levels,
                                            uint64_t seed);

}  // namespace tiletune

#endif  // TILETUNE_TESTING_BLACKWELL_PAIRWISE_H_
