#include "emulated/softmlx5/verbs/objects.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "emulated/softmlx5/nic/gpu_copy.h"

namespace collbench::softmlx5::verbs {

Pages allocate_pages(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kPage, whole));
  if (memory != nullptr) std::memset(memory, 0, whole);
  return Pages(memory);
}

int fail(int error) {
  errno = error;
  return error;
}

void ReceiveSlots::open(std::uint32_t slots) {
  ids_.assign(slots, 0);
  clear();
}

void ReceiveSlots::clear() {
  taken_.assign(ids_.size(), false);
  free_.clear();
  for (std::size_t slot = ids_.size(); slot-- > 0;) free_.push_back(static_cast<std::uint16_t>(slot));
}

bool ReceiveSlots::take(std::uint64_t id, std::uint16_t* slot) {
  if (free_.empty()) return false;
  *slot = free_.back();
  free_.pop_back();
  ids_[*slot] = id;
  taken_[*slot] = true;
  return true;
}

std::uint64_t ReceiveSlots::release(std::uint16_t slot) {
  if (slot >= ids_.size() || !taken_[slot]) return 0;
  taken_[slot] = false;
  free_.push_back(slot);
  return ids_[slot];
}

MemoryPlacement memory_placement(const void* address, std::size_t bytes) {
  if (const auto* at = static_cast<const std::byte*>(address); is_gpu_memory(at))
    return prepare_gpu_copies(at) ? MemoryPlacement::kGpu : MemoryPlacement::kNowhere;
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address) / kPage * kPage;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(address) + bytes;
  // msync changes nothing here; it fails if a page is not mapped.
  const bool mapped = end >= begin && msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0;
  return mapped ? MemoryPlacement::kHost : MemoryPlacement::kNowhere;
}

}  // namespace collbench::softmlx5::verbs
