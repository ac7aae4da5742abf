#pragma once
// Numbering of ranks and partition of vectors in algorithms.
#include <algorithm>
#include <bit>
#include <cstddef>

namespace collbench::cpu {

/// Part of a vector: position of its first element and number of elements.
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

/// Returns `rank` modulo `ranks`, from 0 to `ranks` - 1 for negative numbers, too.
inline int wrapped(int rank, int ranks) noexcept { return ((rank % ranks) + ranks) % ranks; }

inline bool is_power_of_two(int ranks) noexcept { return std::has_single_bit(static_cast<unsigned>(ranks)); }

/// Maps the ranks to a power of two (folding), for algorithms that need one. The first ranks form pairs: 0
/// and 1, 2 and 3 and so on. In each pair the even rank gives its data to the odd one, which works for both,
/// and gets the result back. The odd ranks of the pairs and all ranks after the pairs remain; they are
/// numbered anew from 0.
struct FoldedRanks {
  int size;   // Number of remaining ranks: the largest power of two that is not above the number of ranks.
  int pairs;  // Number of pairs.
  int own;    // New number of this rank; -1 = it gave its data away.

  FoldedRanks(int rank, int ranks) noexcept
      : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        pairs(ranks - size),
        own(rank >= 2 * pairs ? rank - pairs
            : rank % 2 == 1   ? rank / 2
                              : -1) {}
  /// Returns the rank that has this new number.
  [[nodiscard]] int rank_of(int number) const noexcept {
    return number < pairs ? 2 * number + 1 : number + pairs;
  }
  /// Returns true if this rank also works for the rank before it, which gave its data to this one.
  [[nodiscard]] bool has_folded() const noexcept { return own >= 0 && own < pairs; }
};

}  // namespace collbench::cpu
