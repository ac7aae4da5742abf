#include "workloads/stencil/decomposition.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace collbench::stencil {
namespace {

/// Returns the number of rows into which `ranks` ranks are arranged as a grid that is as square as possible;
/// 1 for a prime number.
int rows_of(int ranks) {
  int rows = 1;
  for (int n = 1; n * n <= ranks; ++n)
    if (ranks % n == 0) rows = n;
  return rows;
}

/// Returns the index of the first point in part `i`, if `points` points are divided into `parts` parts whose
/// lengths differ by at most one.
std::int64_t start(std::int64_t points, int i, int parts) { return points * i / parts; }

}  // namespace

GridPortion portion_of(std::int64_t edge, bool weak, int rank, int ranks) {
  const int rows = rows_of(ranks), columns = ranks / rows;
  if (!weak && edge < columns)
    throw Error(ErrorCode::kInvalidArgument, "a grid of " + std::to_string(edge) + " x " +
                                                 std::to_string(edge) + " points is too small for " +
                                                 std::to_string(columns) + " x " + std::to_string(rows) +
                                                 " ranks");
  GridPortion portion;
  portion.grid = {0, 0, weak ? edge * columns : edge, weak ? edge * rows : edge};
  const int column = rank % columns, row = rank / columns;
  const auto [width, height] = std::pair(portion.grid.width, portion.grid.height);
  portion.block.x = start(width, column, columns);
  portion.block.y = start(height, row, rows);
  portion.block.width = start(width, column + 1, columns) - portion.block.x;
  portion.block.height = start(height, row + 1, rows) - portion.block.y;
  portion.neighbours[kNorth] = row > 0 ? rank - columns : -1;
  portion.neighbours[kSouth] = row + 1 < rows ? rank + columns : -1;
  portion.neighbours[kWest] = column > 0 ? rank - 1 : -1;
  portion.neighbours[kEast] = column + 1 < columns ? rank + 1 : -1;
  const std::int64_t widest = (width + columns - 1) / columns, highest = (height + rows - 1) / rows;
  portion.longest_edge = std::max(widest, highest);
  portion.largest_block = widest * highest;
  return portion;
}

Rectangle edge_of(const Rectangle& block, int side) noexcept {
  const Rectangle outside = halo_of(block, side);
  return {std::clamp(outside.x, block.x, block.x + block.width - 1),
          std::clamp(outside.y, block.y, block.y + block.height - 1), outside.width, outside.height};
}

Rectangle halo_of(const Rectangle& block, int side) noexcept {
  switch (side) {
    case kNorth:
      return {block.x, block.y - 1, block.width, 1};
    case kSouth:
      return {block.x, block.y + block.height, block.width, 1};
    case kWest:
      return {block.x - 1, block.y, 1, block.height};
    default:
      return {block.x + block.width, block.y, 1, block.height};
  }
}

}  // namespace collbench::stencil
