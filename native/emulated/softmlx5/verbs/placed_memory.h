#pragma once
#include <cstddef>

namespace collbench::softmlx5::verbs {

enum class MemoryPlacement { kNowhere, kHost, kGpu };

/// Returns where memory lies (host or GPU); kNowhere if any page of [address, address + bytes) is not mapped.
MemoryPlacement memory_placement(const void* address, std::size_t bytes);

}  // namespace collbench::softmlx5::verbs
