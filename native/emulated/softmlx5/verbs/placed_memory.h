#pragma once
#include <cstddef>

namespace collbench::softmlx5::verbs {

enum class MemoryPlacement { kNowhere, kHost, kGpu };

/// Returns the kind of memory at [address, address + bytes); kNowhere if any page of it is not mapped.
MemoryPlacement memory_placement(const void* address, std::size_t bytes);

}  // namespace collbench::softmlx5::verbs
