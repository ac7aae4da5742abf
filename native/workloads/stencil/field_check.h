#pragma once
// Compares a rank's field with the reference, bit for bit.
#include <array>
#include <cstdint>
#include <vector>

#include "core/verification.h"
#include "workloads/stencil/reference.h"

namespace collbench::stencil {

/// Splits a rank's block of the grid into bands of whole rows, from the top. For a band, the expected values
/// after `iterations` iterations can be computed at once, without too much memory.
std::vector<Rectangle> bands_of(const Rectangle& block, std::uint64_t iterations);

template <class T>
class FieldCheck {
 public:
  explicit FieldCheck(const GridPortion& portion) : portion_(portion) {}
  /// Stores, for compare_halo(), the points that were received last from the neighbour on one side.
  void take_halo(int side, std::vector<T> values) { halos_[side] = std::move(values); }
  /// Compares those received points of neighbours that lie next to `band` with their expected values.
  /// @param wanted expected values of the band and of the points around it
  void compare_halo(Patch<T>& wanted, const Rectangle& band);
  /// Compares the points of `band` that this rank has computed with their expected values `wanted`.
  /// @param got computed values of the band, row by row
  void compare_field(Patch<T>& wanted, const Rectangle& band, const std::vector<T>& got);
  [[nodiscard]] const Verification& result() const noexcept { return result_; }

 private:
  void compare(T wanted, T got, std::int64_t x, std::int64_t y, int side);

  const GridPortion& portion_;
  std::array<std::vector<T>, kSides> halos_;  // Received halos by side; empty = nothing to compare.
  Verification result_;
};

}  // namespace collbench::stencil
