#pragma once
// Test data of a KV cache: every head of every page has its own bytes, new ones in each iteration.
#include <cstddef>
#include <cstdint>
#include <span>

namespace collbench::kv {

/// Mixes the bits of a number (splitmix64 by Steele, Lea, Flood, 2014).
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// One head of one page of one tensor of one layer. Its rank follows from the head.
struct PageHead {
  std::size_t page = 0, layer = 0, tensor = 0, head = 0;
};

/// Writes the bytes of a head. @param iteration number of the operation that moves them
void fill_head(std::uint64_t seed, std::uint64_t iteration, const PageHead& where, std::span<std::byte> out);

/// Changes every byte, so that none has the value that belongs there.
void spoil(std::span<std::byte> bytes);

}  // namespace collbench::kv
