#pragma once
// Memory of a workload's units. An engine may want successive units to move through more memory than one
// needs, so that small operations find cold caches.
#include <cstddef>
#include <cstdint>

#include "engines/engine.h"

namespace collbench {

/// Positions in the engine's send and receive buffers that successive operations use in turn, so that small
/// operations do not always find their data in the caches. Positions are `stride_` bytes apart.
class BufferRotation {
 public:
  /// @param bytes length of the larger of an operation's two buffers (send, receive) on this rank
  /// @param element_bytes size of one element of the operation's data. Engines that move buffers off their
  /// alignment (Engine::misalign_elements()) do so by whole elements.
  /// @param max_bytes largest `bytes` of any rank. It limits how many operations are verified, because all
  /// ranks must verify the same ones.
  BufferRotation(Engine& engine, std::size_t bytes, std::size_t element_bytes, std::size_t max_bytes);

  /// Gets the engine's buffer `index` (0 send, 1 receive), long enough for all positions.
  /// @param bytes length that one operation needs  @returns the address of the first position
  std::byte* take(int index, std::size_t bytes);
  /// Returns the number of positions that successive operations use in turn.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Returns how many of the next `units` operations can each have memory of their own. All their results can
  /// then be verified afterwards. It is at least 1 and equal on all ranks.
  /// @param all false: only so many that the extra memory does not displace data from the caches
  [[nodiscard]] std::uint32_t verifiable(std::uint32_t units, bool all) const noexcept;
  /// Gives each of the next `units` operations its own memory, until spread(1) is called. Does nothing if the
  /// engine wants operations to rotate through much memory anyway.
  /// @returns true if the buffers must grow, so that the caller must call take() again
  [[nodiscard]] bool spread(std::uint32_t units) noexcept;
  /// Returns the position for operation number `unit`, in bytes from the address that take() returned.
  [[nodiscard]] std::size_t at(std::uint64_t unit) const noexcept { return unit % count_ * stride_; }

 private:
  Engine& engine_;
  std::size_t misaligned_;       // Bytes by which every position is off its alignment.
  std::size_t stride_, widest_;  // Bytes between units: on this rank, and the largest of any rank.
  /// Numbers of positions: those that units use now in turn, those that fit into this rank's buffers, and
  /// those that would fit into the buffers of the rank with the longest ones.
  std::uint64_t count_ = 1, taken_ = 1, fewest_ = 1;
  bool moves_on_ = false;
};

}  // namespace collbench
