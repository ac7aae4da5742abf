#pragma once
// How the points of a grid are shared out: a rectangle for each rank. Pure.
#include <array>
#include <cstdint>

#include "workloads/stencil/device/jacobi_device.h"

namespace collbench::stencil {

/// Points from (x, y) on, the first one of the grid being (0, 0).
struct Rectangle {
  std::int64_t x = 0, y = 0;
  std::int64_t width = 0, height = 0;
  bool operator==(const Rectangle&) const = default;
};

/// What one rank has. The grid ends in fixed values: ranks at its border have no neighbour there.
struct Portion {
  Rectangle grid;                        // of all ranks together
  Rectangle block;                       // of this rank
  std::array<int, kSides> neighbours{};  // by Side; -1 = none
  std::int64_t longest_edge = 0;         // of any rank's block, points
  std::int64_t largest_block = 0;        // points
};

/// @param edge points along one edge: of the whole grid, or with `weak` of each rank's block
/// @throws Error(kInvalidArgument) fewer points along an edge than ranks
Portion portion_of(std::int64_t edge, bool weak, int rank, int ranks);

/// The outermost points of a block on one side, and those just outside it.
Rectangle edge_of(const Rectangle& block, int side) noexcept;
Rectangle halo_of(const Rectangle& block, int side) noexcept;

}  // namespace collbench::stencil
