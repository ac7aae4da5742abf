#pragma once
#include <cstddef>

namespace collbench::softmlx5::verbs {

enum class MemoryPlacement { kNowhere, kHost, kGpu };

/// Kind of memory that holds the whole range; kNowhere if a page of it is not mapped.
MemoryPlacement memory_placement(const void* address, std::size_t bytes);

}  // namespace collbench::softmlx5::verbs
