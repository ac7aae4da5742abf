#pragma once
// Compares a rank's field with the reference, bit for bit.
#include <array>
#include <cstdint>
#include <vector>

#include "core/verification.h"
#include "workloads/stencil/reference.h"

namespace collbench::stencil {

/// Splits a block into bands of whole rows, from the top. A band is small enough to compute the reference
/// solution after `iterations` for all its points at once.
std::vector<Rectangle> bands_of(const Rectangle& block, std::uint64_t iterations);

template <class T>
class FieldCheck {
 public:
  explicit FieldCheck(const GridPortion& portion) : portion_(portion) {}
  /// Stores the halo (points from a neighbour) that was received last on one side, for compare_halo().
  void take_halo(int side, std::vector<T> values) { halos_[side] = std::move(values); }
  /// Compares the received halo points next to `band` with the reference values `wanted`.
  void compare_halo(Patch<T>& wanted, const Rectangle& band);
  /// Compares the points of `band` with the reference values `wanted`. @param got values of this rank's whole
  /// block
  void compare_field(Patch<T>& wanted, const Rectangle& band, const std::vector<T>& got);
  [[nodiscard]] const Verification& result() const noexcept { return result_; }

 private:
  void compare(T wanted, T got, std::int64_t x, std::int64_t y, int side);

  const GridPortion& portion_;
  std::array<std::vector<T>, kSides> halos_;  // Received halos by side; empty = nothing to compare.
  Verification result_;
};

}  // namespace collbench::stencil
