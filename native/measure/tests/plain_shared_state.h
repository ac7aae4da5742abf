#pragma once
#include <cstddef>
#include <vector>

#include "measure/shared_state.h"

namespace collbench {

/// A SharedState in memory of this process, for ranks that are threads.
struct PlainSharedState {
  explicit PlainSharedState(int ranks)
      : memory(shared_state_bytes(ranks) / 64 + 1), shared_state(make_shared_state(memory.data(), ranks)) {}
  struct alignas(64) Line {
    std::byte bytes[64] = {};
  };
  std::vector<Line> memory;
  SharedState* shared_state;
};

}  // namespace collbench
