#pragma once
// Where the elements that a collective only moves come from.
#include <cstddef>

#include "collectives/collective.h"

namespace collbench {

/// `length` elements in the send buffer of `rank`, from element `first` on.
struct Source {
  int rank = 0;
  std::size_t first = 0;
  std::size_t length = 0;
};

/// What lies from element `index` of the receive buffer of `rank` on, up to where the source changes. Only
/// for elements inside the receive shape. @throws Error(kInternal) the collective reduces
Source source_of(const Operation& operation, int rank, int ranks, std::size_t index);

}  // namespace collbench
