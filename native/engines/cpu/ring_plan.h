#pragma once
// The ring algorithms as data: which block a rank sends and receives in each step. Pure; ring.cc carries it
// out.
//
// A block is what one step moves; it is cut into chunks. Chunk k of step s is the item (s, k); what a rank
// sends as (s, k) its right neighbour receives as (s, k). All ranks go through the items in one order, in
// rounds: round t holds (s, t - s * skew) for all steps s. So each chunk comes round the ring while it is
// still in cache, and the skew hides the way of one hop behind the next chunks.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/collective.h"

namespace collbench::cpu {

enum class Source : std::uint8_t { kSendBuffer, kRecvBuffer, kSlot };
enum class Sink : std::uint8_t {
  kStore,    // straight into the receive buffer
  kForward,  // combined with this rank's data in a slot, to be sent on from there
  kFinal,    // combined with this rank's data into the receive buffer
};

/// One step of one rank; offsets and lengths in elements.
struct RingStep {
  bool sends = false;
  bool receives = false;
  int after = -1;  // sending chunk k waits for chunk k of this step's receive; -1 = for nothing
  Source source = Source::kSendBuffer;
  std::size_t send_at = 0;  // in the source buffer
  std::size_t send_length = 0;
  Sink sink = Sink::kStore;
  std::size_t own_at = 0;    // this rank's contribution, in the send buffer
  std::size_t store_at = 0;  // in the receive buffer
  std::size_t receive_length = 0;
};

struct RingPlan {
  std::vector<RingStep> steps;
  std::size_t longest = 0;  // elements of the longest block of any rank: gives the number of chunks
  bool copies_own = false;  // the send buffer itself belongs into the receive buffer at copy_to ...
  std::size_t copy_to = 0;
  std::size_t copy_length = 0;  // ... unless it lies there already
};

/// Collectives that it plans: those of the engine, for any number of ranks.
std::span<const CollectiveKind> ring_kinds() noexcept;

/// @param plan overwritten; its memory is kept, so that repeated calls allocate nothing
/// @param ranks at least 2
/// @throws Error(kInternal) the collective is none of ring_kinds()
void plan_ring(const Operation& operation, int rank, int ranks, RingPlan& plan);

}  // namespace collbench::cpu
