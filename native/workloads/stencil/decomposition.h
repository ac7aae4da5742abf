#pragma once
// Decomposition of a grid into one rectangle per rank, as plain data.
#include <array>
#include <cstdint>

#include "workloads/stencil/device/jacobi_device.h"

namespace collbench::stencil {

/// Rectangle of points starting at (x, y); the grid's first point is (0, 0).
struct Rectangle {
  std::int64_t x = 0, y = 0;
  std::int64_t width = 0, height = 0;
  bool operator==(const Rectangle&) const = default;
};

/// Part of the grid that belongs to one rank. Values outside the grid are fixed, so ranks at its border have
/// no neighbour there.
struct GridPortion {
  Rectangle grid;                        // Grid of all ranks together.
  Rectangle block;                       // Block of this rank.
  std::array<int, kSides> neighbours{};  // Neighbouring ranks by Side; -1 = none.
  std::int64_t longest_edge = 0;         // Longest edge of any rank's block, in points.
  std::int64_t largest_block = 0;        // Largest block of any rank, in points.
};

/// Returns the part of one rank.
/// @param edge points along one edge: of the whole grid, or with `weak` of each rank's block
/// @throws Error(kInvalidArgument) if an edge has fewer points than ranks
GridPortion portion_of(std::int64_t edge, bool weak, int rank, int ranks);

/// edge_of() returns the outermost points of a block on one side, halo_of() the points just outside it.
Rectangle edge_of(const Rectangle& block, int side) noexcept;
Rectangle halo_of(const Rectangle& block, int side) noexcept;

}  // namespace collbench::stencil
