#pragma once
// Registered memory that the card may access, found by key.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace collbench::softmlx5 {

/// Access rights of a memory region, as bits; the values are those of IBV_ACCESS_*.
inline constexpr unsigned kLocalWrite = 1, kRemoteWrite = 2, kRemoteRead = 4, kRemoteAtomic = 8;

/// A registered memory region (MR).
struct Region {
  std::byte* base = nullptr;  // start of the range in host memory or CUDA device memory
  std::size_t bytes = 0;
  std::uint64_t iova = 0;  // address that WQEs use for `base`
  unsigned access = 0;
  std::uint32_t domain = 0;  // number of the protection domain
  bool on_gpu = false;
};

/// Memory that an lkey or rkey and an address resolve to.
struct ResolvedAddress {
  std::byte* at = nullptr;  // nullptr: unknown key, outside its range, another domain, or access not allowed
  bool on_gpu = false;
};

/// Registered ranges by key. A key is index << 8 | tag, and the tag changes when an index is reused. So the
/// key of a deregistered range does not match the next range at its index. Not thread-safe: callers hold the
/// card's lock.
class MemoryTable {
 public:
  std::uint32_t add(const Region& region);
  /// Removes the memory region with this key. False if there is none.
  bool remove(std::uint32_t key);
  /// Resolves an lkey or rkey and an address to memory, after checks of bounds, domain and access.
  /// @param address address in the terms of the work queue entry (Region::iova)
  /// @param access access bits, all of which must be allowed
  /// @param domain number of the protection domain of the queue pair
  [[nodiscard]] ResolvedAddress find(std::uint32_t key, std::uint64_t address, std::uint64_t bytes,
                                     unsigned access, std::uint32_t domain) const noexcept;
  /// True if host memory [at, at + bytes) lies inside a registered range. Requests that were delayed need
  /// this check, because their memory may have been deregistered meanwhile.
  [[nodiscard]] bool holds(const std::byte* at, std::uint64_t bytes) const noexcept;

 private:
  struct KeySlot {
    Region region;
    std::uint8_t tag = 0;
    bool used = false;
  };
  std::vector<KeySlot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace collbench::softmlx5
