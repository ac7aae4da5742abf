#pragma once
// Neighbours of a rank, and what both sides settle before the first exchange.
#include <array>
#include <cstddef>

#include "workloads/stencil/halo_memory.h"

namespace collbench::stencil {

/// The ranks that compute the adjacent parts of the grid, and the length of the edge to each, by Side.
struct Neighbours {
  std::array<int, kSides> ranks{};          // Rank of the neighbour; -1 = none.
  std::array<std::size_t, kSides> bytes{};  // Bytes of the points on that side.
};

constexpr int opposite(int side) noexcept { return side ^ 1; }

/// Sends the first `bytes` of each edge lane of turn 0 to the neighbour on that side, as messages of the
/// engine. Receives as many bytes from each neighbour into the halo lanes of turn 0. Complete when it
/// returns.
void swap_edges(Engine& engine, const HaloMemory& memory, const Neighbours& neighbours, std::size_t bytes);

/// Sets the exchange numbers in all lanes to their initial value. Returns when the neighbours have done the
/// same.
void clear_numbers(Engine& engine, const HaloMemory& memory, const Neighbours& neighbours);

}  // namespace collbench::stencil
