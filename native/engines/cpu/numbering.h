#pragma once
// How algorithms number ranks and cut vectors.
#include <algorithm>
#include <bit>
#include <cstddef>

namespace collbench::cpu {

struct Block {
  std::size_t at;
  std::size_t length;
};

/// `count` elements in `parts` blocks whose lengths differ by one at most.
inline Block block_of(std::size_t count, int parts, int index) noexcept {
  const auto n = static_cast<std::size_t>(parts);
  const auto i = static_cast<std::size_t>(index);
  const std::size_t even = count / n;
  const std::size_t more = count % n;
  return {i * even + std::min(i, more), even + (i < more ? 1 : 0)};
}

inline int wrapped(int rank, int ranks) noexcept { return ((rank % ranks) + ranks) % ranks; }

inline bool is_power_of_two(int ranks) noexcept { return std::has_single_bit(static_cast<unsigned>(ranks)); }

/// Folding: as many ranks as a power of two do the work. Of the first `pairs` pairs of ranks, which are those
/// too many, the even one gives its data to the odd one and gets the result from it.
struct Core {
  int size;
  int pairs;
  int own;  // number of this rank; -1: it folded

  Core(int rank, int ranks) noexcept
      : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        pairs(ranks - size),
        own(rank >= 2 * pairs ? rank - pairs
            : rank % 2 == 1   ? rank / 2
                              : -1) {}
  [[nodiscard]] int rank_of(int number) const noexcept {
    return number < pairs ? 2 * number + 1 : number + pairs;
  }
  /// Whether this rank does the work of another, which is the one before it.
  [[nodiscard]] bool has_folded() const noexcept { return own >= 0 && own < pairs; }
};

}  // namespace collbench::cpu
