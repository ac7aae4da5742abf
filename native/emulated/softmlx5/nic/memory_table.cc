#include "emulated/softmlx5/nic/memory_table.h"

#include <algorithm>

namespace collbench::softmlx5 {

std::uint32_t MemoryTable::add(const Region& region) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    // Index 0 stays unused, so that no key is 0.
    if (slots_.empty()) slots_.emplace_back();
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  KeySlot& slot = slots_[index];
  slot.region = region;
  slot.used = true;
  ++slot.tag;
  return index << 8 | slot.tag;
}

bool MemoryTable::remove(std::uint32_t key) {
  const std::uint32_t index = key >> 8;
  if (index >= slots_.size() || !slots_[index].used || slots_[index].tag != (key & 0xFF)) return false;
  slots_[index].used = false;
  free_.push_back(index);
  return true;
}

ResolvedAddress MemoryTable::find(std::uint32_t key, std::uint64_t address, std::uint64_t bytes,
                                  unsigned access, std::uint32_t domain) const noexcept {
  const std::uint32_t index = key >> 8;
  if (index >= slots_.size()) return {};
  const KeySlot& slot = slots_[index];
  const Region& region = slot.region;
  if (!slot.used || slot.tag != (key & 0xFF) || region.domain != domain) return {};
  if ((region.access & access) != access) return {};
  const std::uint64_t offset = address - region.iova;  // an address below the range wraps to a huge offset
  if (offset > region.bytes || bytes > region.bytes - offset) return {};
  return {region.base + offset, region.on_gpu};
}

bool MemoryTable::holds(const std::byte* at, std::uint64_t bytes) const noexcept {
  return std::ranges::any_of(slots_, [at, bytes](const KeySlot& slot) {
    const std::uint64_t offset =
        reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(slot.region.base);
    return slot.used && !slot.region.on_gpu && offset <= slot.region.bytes &&
           bytes <= slot.region.bytes - offset;
  });
}

}  // namespace collbench::softmlx5
