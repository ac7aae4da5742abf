#pragma once
// Memory that the card may touch: registered ranges, found by key.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace collbench::softmlx5 {

/// Bits of Region::access, as IBV_ACCESS_*.
inline constexpr unsigned kLocalWrite = 1, kRemoteWrite = 2, kRemoteRead = 4, kRemoteAtomic = 8;

struct Region {
  std::byte* base = nullptr;  // where the bytes are: host memory, or device memory of CUDA
  std::size_t bytes = 0;
  std::uint64_t iova = 0;  // the address that WQEs give for `base`
  unsigned access = 0;
  std::uint32_t domain = 0;  // protection domain
  bool on_gpu = false;
};

/// What became of an address.
struct Found {
  std::byte* at = nullptr;  // nullptr: no such key, out of its bounds, of another domain, or not allowed
  bool on_gpu = false;
};

/// Keys are index << 8 | tag: a key of a removed range is not valid for the one that takes its place.
/// Not thread safe; the card's lock is held.
class MemoryTable {
 public:
  std::uint32_t add(const Region& region);
  /// False when there is no such key.
  bool remove(std::uint32_t key);
  /// @param access bits that must all be allowed
  [[nodiscard]] Found find(std::uint32_t key, std::uint64_t address, std::uint64_t bytes, unsigned access,
                           std::uint32_t domain) const noexcept;
  /// Whether host memory at [at, at + bytes) is registered by one key or another: what a request named may be
  /// gone when its turn comes.
  [[nodiscard]] bool holds(const std::byte* at, std::uint64_t bytes) const noexcept;

 private:
  struct Slot {
    Region region;
    std::uint8_t tag = 0;
    bool used = false;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace collbench::softmlx5
