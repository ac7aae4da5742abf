#pragma once
// Memory of a workload's units. An engine may want successive units to move through more memory than one
// needs, so that small operations find cold caches.
#include <cstddef>
#include <cstdint>

#include "engines/engine.h"

namespace collbench {

/// Positions of the units in the engine's buffers, `stride` bytes apart.
class BufferRotation {
 public:
  /// @param bytes of the larger of a unit's two buffers on this rank; ranks with different buffers need no
  /// equal positions
  /// @param element_bytes unit in which the engine misaligns buffers
  /// @param most_bytes of the larger buffer on any rank: all ranks must verify the same units
  BufferRotation(Engine& engine, std::size_t bytes, std::size_t element_bytes, std::size_t most_bytes);

  /// Takes the engine's buffer 0 or 1, with `bytes` for one unit. @returns the position of the first unit
  std::byte* take(int index, std::size_t bytes);
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Returns how many of `units` consecutive units can be verified in separate memory.
  /// @param all false: limited to what leaves the caches as they are
  [[nodiscard]] std::uint32_t verifiable(std::uint32_t units, bool all) const noexcept;
  /// Gives `units` consecutive units separate memory until it is called with 1. Units that move anyway
  /// already have it.
  /// @returns true if the buffers must be taken again
  [[nodiscard]] bool spread(std::uint32_t units) noexcept;
  /// Returns the byte offset of a unit from the pointer that take() returned.
  [[nodiscard]] std::size_t at(std::uint64_t unit) const noexcept { return unit % count_ * stride_; }

 private:
  Engine& engine_;
  std::size_t misaligned_;       // Bytes by which every position is off its alignment.
  std::size_t stride_, widest_;  // Bytes between units: on this rank, and the largest of any rank.
  /// Number of positions: in use on this rank, available in its buffers, and the smallest of any rank.
  std::uint64_t count_ = 1, taken_ = 1, fewest_ = 1;
  bool moves_on_ = false;
};

}  // namespace collbench
