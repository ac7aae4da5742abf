#pragma once
// Sources of the elements that a collective moves without reducing.
#include <cstddef>

#include "collectives/collective.h"

namespace collbench {

/// Range of `length` elements in the send buffer of `rank`, starting at element `first`.
struct SourceRange {
  int rank = 0;
  std::size_t first = 0;
  std::size_t length = 0;
};

/// Returns the source of the elements from `index` of the receive buffer of `rank` on, up to where the source
/// changes. `index` must lie inside the receive buffer.
/// @throws Error(kInternal) if the collective reduces
SourceRange source_of(const Operation& operation, int rank, int ranks, std::size_t index);

}  // namespace collbench
