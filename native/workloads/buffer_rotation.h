#pragma once
// Memory of a workload's units. An engine may want successive units to move through more memory than one
// needs, so that small operations find cold caches.
#include <cstddef>
#include <cstdint>

#include "engines/engine.h"

namespace collbench {

/// Positions in the engine's buffers that successive units of work (operations) use in turn, `stride` bytes
/// apart.
class BufferRotation {
 public:
  /// @param bytes length of the larger of a unit's two buffers on this rank
  /// @param element_bytes size of the elements by which the engine misaligns buffers
  /// @param most_bytes the same length on the rank with the largest buffer. It limits how many units are
  /// verified, because all ranks must verify the same ones.
  BufferRotation(Engine& engine, std::size_t bytes, std::size_t element_bytes, std::size_t most_bytes);

  /// Gets the engine's buffer `index` (0 send, 1 receive) for units that need `bytes` each. @returns the
  /// address for the first unit
  std::byte* take(int index, std::size_t bytes);
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Returns how many of the next `units` units can have separate memory, so that all their results can be
  /// verified.
  /// @param all false: only so many that the extra memory does not displace data from the caches
  [[nodiscard]] std::uint32_t verifiable(std::uint32_t units, bool all) const noexcept;
  /// Gives each of the next `units` units its own memory, until spread(1) is called. If the units rotate
  /// through enough memory anyway, nothing changes.
  /// @returns true if the caller must call take() again
  [[nodiscard]] bool spread(std::uint32_t units) noexcept;
  /// Returns the offset in bytes of unit number `unit` from the address that take() returned.
  [[nodiscard]] std::size_t at(std::uint64_t unit) const noexcept { return unit % count_ * stride_; }

 private:
  Engine& engine_;
  std::size_t misaligned_;       // Bytes by which every position is off its alignment.
  std::size_t stride_, widest_;  // Bytes between units: on this rank, and the largest of any rank.
  /// Number of positions that units use now, that fit into this rank's buffers, and that fit on the rank with
  /// the fewest.
  std::uint64_t count_ = 1, taken_ = 1, fewest_ = 1;
  bool moves_on_ = false;
};

}  // namespace collbench
