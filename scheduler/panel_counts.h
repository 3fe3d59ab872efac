// How many panels of A (rows of tiles) and of B (columns) a range of indices of
// an order touches, in constant time.
//
// Use it to reason about the reuse of an order; l2_traffic.h turns it into
// bytes.
//
//   const Order order = *MakeOrder({64, 32, 128, 1}, {8});
//   PanelCounts wave = DistinctPanels(order, /*first=*/0, /*last=*/131);
//   uint64_t bytes = wave.a * panel_a_bytes + wave.b * panel_b_bytes;
#ifndef TILETUNE_SCHEDULER_PANEL_COUNTS_H_
#define TILETUNE_SCHEDULER_PANEL_COUNTS_H_

#include <cstdint>

#include "scheduler/order.h"

namespace tiletune {

// How many different panels a range of indices touches.
struct PanelCounts {
  uint64_t a = 0;  // Panels of A: different m.
  uint64_t b = 0;  // Panels of B: different n.
};

namespace panel_counts_internal {

// Columns [first, last] of the unwindowed axis.
struct Columns {
  uint64_t first;
  uint64_t last;
};

// The part of a window that a range of indices covers.
struct Part {
  uint64_t rows;  // Different coordinates along the windowed axis.
  Columns columns;
};

// One window of an order: `height` rows, `width` columns.
struct Window {
  uint64_t height;
  uint64_t width;
  bool backwards;

  // Indices [first, last] of the window, counted from its own first.
  constexpr Part Cover(uint64_t first, uint64_t last) const {
    const uint64_t step0 = first / height;
    const uint64_t step1 = last / height;
    uint64_t rows = height;
    if (step1 == step0) {
      rows = last - first + 1;
    } else if (step1 == step0 + 1) {
      // The end of one column and the start of the next.
      const uint64_t both = height - first % height + last % height + 1;
      rows = both < height ? both : height;
    }
    if (backwards) return {rows, {width - 1 - step1, width - 1 - step0}};
    return {rows, {step0, step1}};
  }
};

// The number of columns in either interval.
constexpr uint64_t CountUnion(const Columns& x, const Columns& y) {
  const uint64_t sum = (x.last - x.first + 1) + (y.last - y.first + 1);
  const uint64_t first = x.first > y.first ? x.first : y.first;
  const uint64_t last = x.last < y.last ? x.last : y.last;
  return first <= last ? sum - (last - first + 1) : sum;
}

// Panels of tiles [first, last] of one slice of `order`, in constant time.
constexpr PanelCounts PanelsInSlice(const Order& order, uint64_t first,
                                    uint64_t last) {
  const bool zn = order.direction == SwizzleDirection::kZn;
  const uint64_t windowed = zn ? order.tiles_m : order.tiles_n;
  const uint64_t width = zn ? order.tiles_n : order.tiles_m;
  const uint64_t per_window = order.offset * width;
  uint64_t last_window = order.tail == TailPolicy::kThin
                             ? (windowed - 1) / order.offset
                             : windowed / order.offset - 1;
  const auto window_of = [&](uint64_t tile) {
    return tile / per_window < last_window ? tile / per_window : last_window;
  };
  const auto window = [&](uint64_t number) {
    const uint64_t height =
        number == last_window ? windowed - number * order.offset : order.offset;
    return Window{height, width, order.snake && number % 2 == 1};
  };
  const uint64_t w0 = window_of(first);
  const uint64_t w1 = window_of(last);
  uint64_t rows = 0;
  uint64_t columns = 0;
  if (w0 == w1) {
    const Part part =
        window(w0).Cover(first - w0 * per_window, last - w0 * per_window);
    rows = part.rows;
    columns = part.columns.last - part.columns.first + 1;
  } else {
    const Part head = window(w0).Cover(first - w0 * per_window, per_window - 1);
    const Part tail = window(w1).Cover(0, last - w1 * per_window);
    // Windows in between are covered whole.
    const uint64_t between = w1 - w0 - 1;
    rows = head.rows + tail.rows + between * order.offset;
    columns = between > 0 ? width : CountUnion(head.columns, tail.columns);
  }
  return zn ? PanelCounts{rows, columns} : PanelCounts{columns, rows};
}

}  // namespace panel_counts_internal

// The panels that indices [first, last] of `order` touch, last < size().
// Panels of different k slices or batches are different.
constexpr PanelCounts DistinctPanels(const Order& order, uint64_t first,
                                     uint64_t last) {
  const uint64_t per_slice = order.tiles_per_slice();
  const uint64_t s0 = first / per_slice;
  const uint64_t s1 = last / per_slice;
  using panel_counts_internal::PanelsInSlice;
  if (s0 == s1) {
    return PanelsInSlice(order, first % per_slice, last % per_slice);
  }
  const PanelCounts head =
      PanelsInSlice(order, first % per_slice, per_slice - 1);
  const PanelCounts tail = PanelsInSlice(order, 0, last % per_slice);
  const uint64_t between = s1 - s0 - 1;
  return {head.a + tail.a + between * order.tiles_m,
          head.b + tail.b + between * order.tiles_n};
}

}  // namespace tiletune

#endif  // TILETUNE_SCHEDULER_PANEL_COUNTS_H_
