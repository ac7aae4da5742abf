#include "emulated/softmlx5/verbs/objects.h"

#include <cerrno>
#include <cstring>

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

}  // namespace collbench::softmlx5::verbs
