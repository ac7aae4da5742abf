#pragma once
// Ring algorithms as data: the block that a rank sends and receives in each step. ring.cc executes a plan.
//
// A block is what one step moves; it is cut into chunks. Item (s, k) is chunk k of step s. What a rank sends
// as (s, k), its right neighbour receives as (s, k). All ranks process the items in the same order, in
// rounds: round t holds (s, t - s * skew) for all steps s. So each chunk travels around the ring while it is
// still in cache, and later chunks hide the latency of a hop.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/collective.h"

namespace collbench::cpu {

enum class RingSource : std::uint8_t { kSendBuffer, kRecvBuffer, kSlot };
enum class RingSink : std::uint8_t {
  kStore,    // Received directly into the receive buffer.
  kForward,  // Combined with this rank's data in a slot and sent on from there.
  kFinal,    // Combined with this rank's data into the receive buffer.
};

/// Data that one rank sends and receives in one step of the ring algorithm; offsets and lengths in elements.
struct RingStep {
  bool sends = false;
  bool receives = false;
  int after = -1;  // Step whose received chunk k must arrive before chunk k is sent; -1 = none.
  RingSource source = RingSource::kSendBuffer;
  std::size_t send_at = 0;  // Offset in the source buffer.
  std::size_t send_length = 0;
  RingSink sink = RingSink::kStore;
  std::size_t own_at = 0;    // Offset of this rank's contribution in the send buffer.
  std::size_t store_at = 0;  // Offset in the receive buffer.
  std::size_t receive_length = 0;
};

struct RingPlan {
  std::vector<RingStep> steps;
  /// Number of elements in the longest part of the vector that any rank moves in one step; it determines the
  /// number of chunks (messages) per step.
  std::size_t longest = 0;
  /// True if this rank's own send buffer must also be copied into its receive buffer, at offset copy_to.
  bool copies_own = false;
  std::size_t copy_to = 0;
  std::size_t copy_length = 0;  // Elements to copy. Nothing is copied if the data already lie there.
};

/// Returns the collectives that the ring algorithm supports, for any number of ranks.
std::span<const CollectiveKind> ring_kinds() noexcept;

/// Plans a collective by the ring algorithm: writes what `rank` sends and receives in each step.
/// @param plan overwritten; its memory is reused, so repeated calls allocate nothing
/// @param ranks at least 2
/// @throws Error(kInternal) if the collective is not one of ring_kinds()
void plan_ring(const Operation& operation, int rank, int ranks, RingPlan& plan);

}  // namespace collbench::cpu
