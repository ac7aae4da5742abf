#pragma once
// Memory of a workload's units: an engine may want them to move on through more memory than one unit needs,
// so that small ones find cold caches.
#include <cstddef>
#include <cstdint>

#include "engines/engine.h"

namespace collbench {

/// The places of the units: one behind the other in the engine's buffers, `stride` bytes apart.
class Places {
 public:
  /// @param bytes of the larger of a unit's two buffers, on this rank; ranks of unlike shape need no equal
  /// places
  /// @param element_bytes what the engine counts in where it starts off the alignment
  /// @param most_bytes of any rank: all must verify the same units
  Places(Engine& engine, std::size_t bytes, std::size_t element_bytes, std::size_t most_bytes);

  /// Takes the engine's buffer 0 or 1, `bytes` for one unit. @returns where the first unit begins
  std::byte* take(int index, std::size_t bytes);
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// How many of so many units in a row can be verified beside each other. @param all false: no more than
  /// leave caches as they are
  [[nodiscard]] std::uint32_t verifiable(std::uint32_t units, bool all) const noexcept;
  /// So many get places of their own until it is called with 1. Where the engine wants units to move on they
  /// do anyway. @returns true where the buffers must be taken again
  [[nodiscard]] bool spread(std::uint32_t units) noexcept;
  /// Where the unit begins, from what take() gave.
  [[nodiscard]] std::size_t at(std::uint64_t unit) const noexcept { return unit % count_ * stride_; }

 private:
  Engine& engine_;
  std::size_t misaligned_;                            // bytes by which every place is off its alignment
  std::size_t stride_, widest_;                       // of this rank, of any rank
  std::uint64_t count_ = 1, taken_ = 1, fewest_ = 1;  // of this rank, in its buffers, of any rank
  bool moves_on_ = false;
};

}  // namespace collbench
