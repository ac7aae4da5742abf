#pragma once
#include <cstddef>

namespace collbench::softmlx5::verbs {

enum class Placed { kNowhere, kHost, kGpu };

/// Kind of memory that holds the whole range; kNowhere if a page of it is not mapped.
Placed placed_memory(const void* address, std::size_t bytes);

}  // namespace collbench::softmlx5::verbs
