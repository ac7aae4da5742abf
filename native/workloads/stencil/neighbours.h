#pragma once
// Who is beside a rank, and what both sides settle before the first exchange.
#include <array>
#include <cstddef>

#include "workloads/stencil/memory.h"

namespace collbench::stencil {

/// By Side.
struct Neighbours {
  std::array<int, kSides> ranks{};          // -1 = none
  std::array<std::size_t, kSides> bytes{};  // of the points on that side
};

constexpr int opposite(int side) noexcept { return side ^ 1; }

/// The first bytes of each edge go into the neighbour's halo, as messages; complete when it returns.
void swap_edges(Engine& engine, const Memory& memory, const Neighbours& neighbours, std::size_t bytes);

/// No exchange has come yet. Returns when the neighbours know no more of earlier ones either.
void clear_numbers(Engine& engine, const Memory& memory, const Neighbours& neighbours);

}  // namespace collbench::stencil
