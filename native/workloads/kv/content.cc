#include "workloads/kv/content.h"

#include <algorithm>
#include <cstring>

namespace collbench::kv {

void fill_head(std::uint64_t seed, std::uint64_t iteration, const PageHead& where, std::span<std::byte> out) {
  std::uint64_t key = mixed(seed ^ mixed(iteration));
  for (const std::size_t number : {where.page, where.layer, where.tensor, where.head})
    key = mixed(key ^ number);
  // Multiplication by an odd number and a shift suffice within a head, whose key is well mixed.
  for (std::size_t at = 0, index = 0; at < out.size(); at += sizeof key, ++index) {
    std::uint64_t word = (key + index) * 0x9E3779B97F4A7C15ULL;
    word ^= word >> 32;
    std::memcpy(out.data() + at, &word, std::min(sizeof word, out.size() - at));
  }
}

void spoil(std::span<std::byte> bytes) {
  for (std::byte& one : bytes) one = ~one;
}

}  // namespace collbench::kv
