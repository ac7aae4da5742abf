#pragma once
// Numbering of ranks and partition of vectors in algorithms.
#include <algorithm>
#include <bit>
#include <cstddef>

namespace collbench::cpu {

struct BlockRange {
  std::size_t at;
  std::size_t length;
};

/// Returns the position and length, in elements, of part `index` of a vector of `count` elements that is
/// divided into `parts` parts whose lengths differ by at most one.
inline BlockRange block_of(std::size_t count, int parts, int index) noexcept {
  const auto n = static_cast<std::size_t>(parts);
  const auto i = static_cast<std::size_t>(index);
  const std::size_t even = count / n;
  const std::size_t more = count % n;
  return {i * even + std::min(i, more), even + (i < more ? 1 : 0)};
}

inline int wrapped(int rank, int ranks) noexcept { return ((rank % ranks) + ranks) % ranks; }

inline bool is_power_of_two(int ranks) noexcept { return std::has_single_bit(static_cast<unsigned>(ranks)); }

/// Maps the ranks to a power of two (folding), for algorithms that need one. Each of the first
/// `pairs` pairs of ranks acts as one rank: the even rank gives its data to the odd one and gets the result
/// back.
struct FoldedRanks {
  int size;
  int pairs;
  int own;  // Number of this rank among the remaining ones; -1 = it gave its data away.

  FoldedRanks(int rank, int ranks) noexcept
      : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        pairs(ranks - size),
        own(rank >= 2 * pairs ? rank - pairs
            : rank % 2 == 1   ? rank / 2
                              : -1) {}
  [[nodiscard]] int rank_of(int number) const noexcept {
    return number < pairs ? 2 * number + 1 : number + pairs;
  }
  /// Returns true if this rank also works for the rank before it, which gave its data to this one.
  [[nodiscard]] bool has_folded() const noexcept { return own >= 0 && own < pairs; }
};

}  // namespace collbench::cpu
