#pragma once
// Compares a rank's field with the reference, bit for bit.
#include <array>
#include <cstdint>
#include <vector>

#include "core/verification.h"
#include "workloads/stencil/reference.h"

namespace collbench::stencil {

/// Splits a block into bands from the top, small enough to compute the reference of each at once.
std::vector<Rectangle> bands_of(const Rectangle& block, std::uint64_t iterations);

template <class T>
class FieldCheck {
 public:
  explicit FieldCheck(const GridPortion& portion) : portion_(portion) {}
  /// Takes the halo that was received last on one side.
  void take_halo(int side, std::vector<T> values) { halos_[side] = std::move(values); }
  /// Compares the halo points next to `band`.
  void compare_halo(Patch<T>& wanted, const Rectangle& band);
  /// Compares the points of `band`. @param got the rank's values
  void compare_field(Patch<T>& wanted, const Rectangle& band, const std::vector<T>& got);
  [[nodiscard]] const Verification& result() const noexcept { return result_; }

 private:
  void compare(T wanted, T got, std::int64_t x, std::int64_t y, int side);

  const GridPortion& portion_;
  std::array<std::vector<T>, kSides> halos_;  // Received halos by side; empty = nothing to compare.
  Verification result_;
};

}  // namespace collbench::stencil
