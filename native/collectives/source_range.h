#pragma once
// Sources of the elements that a collective moves without reducing.
#include <cstddef>

#include "collectives/collective.h"

namespace collbench {

/// Origin of received elements: `length` elements in the send buffer of `rank`, beginning at element `first`.
struct SourceRange {
  int rank = 0;
  std::size_t first = 0;
  std::size_t length = 0;
};

/// Returns where the elements from `index` on in the receive buffer of `rank` come from. The range ends where
/// the next element comes from another rank or position. `index` must be within the receive buffer.
/// @throws Error(kInternal) if the collective reduces
SourceRange source_of(const Operation& operation, int rank, int ranks, std::size_t index);

}  // namespace collbench
