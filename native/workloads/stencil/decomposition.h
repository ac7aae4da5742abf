#pragma once
// Decomposition of a grid into one rectangle per rank, as plain data.
#include <array>
#include <cstdint>

#include "workloads/stencil/device/jacobi_device.h"

namespace collbench::stencil {

/// Rectangle of grid points whose first point is (x, y). The grid's first point is (0, 0).
struct Rectangle {
  std::int64_t x = 0, y = 0;
  std::int64_t width = 0, height = 0;
  bool operator==(const Rectangle&) const = default;
};

/// Part of the grid that one rank computes, with its neighbours. Values outside the grid never change, so a
/// rank at the grid's border has no neighbour on that side.
struct GridPortion {
  Rectangle grid;                        // Grid of all ranks together.
  Rectangle block;                       // Block of this rank.
  std::array<int, kSides> neighbours{};  // Neighbouring ranks by Side; -1 = none.
  std::int64_t longest_edge = 0;         // Longest edge of any rank's block, in points.
  std::int64_t largest_block = 0;        // Largest block of any rank, in points.
};

/// Returns the part of the grid that belongs to `rank`.
/// @param edge number of points along one edge: of the whole grid, or if `weak` (weak scaling) of each rank's
/// block
/// @throws Error(kInvalidArgument) if `weak` is false and the grid has fewer points along an edge than blocks
GridPortion portion_of(std::int64_t edge, bool weak, int rank, int ranks);

/// Returns the outermost points on one side of a rank's block of the grid, which the neighbour needs (one row
/// or column). halo_of() returns the points just outside, which come from the neighbour. @param side a Side
Rectangle edge_of(const Rectangle& block, int side) noexcept;
Rectangle halo_of(const Rectangle& block, int side) noexcept;

}  // namespace collbench::stencil
