#include "engines/cpu/registered_memory.h"

#include <cstdint>

namespace collbench::cpu {

void RegisteredMemory::deregister() noexcept {
  for (std::size_t p = 0; p < to_.size(); ++p) {
    if (to_[p].value_or(nullptr) != nullptr) peers_[p].send->deregister_memory(*to_[p]);
    if (from_[p].value_or(nullptr) != nullptr) peers_[p].recv->deregister_memory(*from_[p]);
  }
  to_.clear();
  from_.clear();
}

void RegisteredMemory::reserve(std::size_t bytes) {
  if (pages_.size() >= bytes && pages_.data() != nullptr) return;
  deregister();
  pages_ = Pages();  // The old memory is freed first, because both together might not fit.
  pages_ = Pages(bytes);
  memory_ = {pages_.data(), pages_.size()};
}

void RegisteredMemory::use_memory(std::span<std::byte> memory) {
  deregister();
  memory_ = memory;
}

bool RegisteredMemory::contains(const void* at, std::size_t bytes) const noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(memory_.data());
  const auto wanted = reinterpret_cast<std::uintptr_t>(at);
  return memory_.data() != nullptr && wanted >= first && bytes <= memory_.size() &&
         wanted - first <= memory_.size() - bytes;
}

MemoryRegion* RegisteredMemory::to(int peer) {
  if (to_.empty()) to_.resize(peers_.size()), from_.resize(peers_.size());
  const auto p = static_cast<std::size_t>(peer);
  std::optional<MemoryRegion*>& region = to_.at(p);
  if (!region) region = peers_[p].send->register_memory(memory_.data(), memory_.size(), MemoryKind::kHost);
  return *region;
}

MemoryRegion* RegisteredMemory::from(int peer) {
  if (to_.empty()) to_.resize(peers_.size()), from_.resize(peers_.size());
  const auto p = static_cast<std::size_t>(peer);
  std::optional<MemoryRegion*>& region = from_.at(p);
  if (!region) region = peers_[p].recv->register_memory(memory_.data(), memory_.size(), MemoryKind::kHost);
  return *region;
}

}  // namespace collbench::cpu
