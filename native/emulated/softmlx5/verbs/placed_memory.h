#pragma once
#include <cstddef>

namespace collbench::softmlx5::verbs {

enum class MemoryPlacement { kNowhere, kHost, kGpu };

/// Returns where the memory at `address` lies. Only this address decides whether it is GPU memory. For other
/// memory, the result is kNowhere if any page of [address, address + bytes) is not mapped.
MemoryPlacement memory_placement(const void* address, std::size_t bytes);

}  // namespace collbench::softmlx5::verbs
