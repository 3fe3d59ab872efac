// How well a set of samples pins down a time.
//
//   std::vector<double> ns = Sample(10);
//   while (RelativeNoise(ns) > 0.005) Append(ns, Sample(5));
//   printf("%.1f ns +- %.2f %%\n", Median(ns), 100 * RelativeNoise(ns));
//
// All of it is robust: a few samples hit by an interrupt move neither the
// median nor the median absolute deviation.
#ifndef TILETUNE_AUTOTUNE_MEASURE_NOISE_H_
#define TILETUNE_AUTOTUNE_MEASURE_NOISE_H_

#include <vector>

namespace tiletune {

// The median; the mean of the middle two for an even count; 0 for none.
double Median(std::vector<double> samples);

// The mean of the middle half, of few samples their median; 0 for none. As
// little moved by an interrupt as the median, and nearer to the truth where
// there was none.
double Midmean(std::vector<double> samples);

// The value at the nearest rank, `percent` being from 0 (the least) to 100 (the
// greatest); 0 for none.
double Percentile(std::vector<double> values, int percent);

// The standard error of the median relative to the median, no unit:
// 1.2533 * 1.4826 * MAD / sqrt(n) / median. 1.4826 * MAD estimates the standard
// deviation of normal data, and 1.2533 = sqrt(pi / 2) is the efficiency of the
// median against the mean. Infinite for fewer than 3 samples.
double RelativeNoise(const std::vector<double>& samples);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_MEASURE_NOISE_H_
