#include "emulated/softmlx5/verbs/placed_memory.h"

#include <sys/mman.h>

#include <cstdint>

#include "emulated/softmlx5/nic/gpu_copy.h"

namespace collbench::softmlx5::verbs {

MemoryPlacement memory_placement(const void* address, std::size_t bytes) {
  if (is_gpu_memory(static_cast<const std::byte*>(address))) return MemoryPlacement::kGpu;
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address) / kPage * kPage;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(address) + bytes;
  // msync changes nothing here; it fails if a page is not mapped.
  const bool mapped = end >= begin && msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0;
  return mapped ? MemoryPlacement::kHost : MemoryPlacement::kNowhere;
}

}  // namespace collbench::softmlx5::verbs
