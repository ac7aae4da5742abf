#pragma once
// Compares what a rank has with the reference, bit for bit.
#include <array>
#include <cstdint>
#include <vector>

#include "core/verification.h"
#include "workloads/stencil/reference.h"

namespace collbench::stencil {

/// Parts of a block, from the top, whose references are small enough to be computed one by one.
std::vector<Rectangle> bands_of(const Rectangle& block, std::uint64_t iterations);

template <class T>
class Check {
 public:
  explicit Check(const Portion& portion) : portion_(portion) {}
  /// What was received last on one side, whole.
  void take_halo(int side, std::vector<T> values) { halos_[side] = std::move(values); }
  /// Those of the halo's points that lie beside `band`.
  void compare_halo(Patch<T>& wanted, const Rectangle& band);
  /// @param got the points of `band`
  void compare_field(Patch<T>& wanted, const Rectangle& band, const std::vector<T>& got);
  [[nodiscard]] const Verification& result() const noexcept { return result_; }

 private:
  void compare(T wanted, T got, std::int64_t x, std::int64_t y, int side);

  const Portion& portion_;
  std::array<std::vector<T>, kSides> halos_;  // empty: nothing to compare
  Verification result_;
};

}  // namespace collbench::stencil
