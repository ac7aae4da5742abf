#include "engines/cpu/ring_plan.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

constexpr CollectiveKind kKinds[] = {CollectiveKind::kAllreduce, CollectiveKind::kAllgather,
                                     CollectiveKind::kReducescatter, CollectiveKind::kBroadcast,
                                     CollectiveKind::kReduce};

/// Adds the reduce-scatter phase: partial sums travel once around the ring. After n-1 steps this rank has the
/// complete sum of part `last` of the vector.
template <class BlockOf>
void add_reduce_steps(int ranks, int last, BlockOf block, bool result_is_part, RingPlan& plan) {
  for (int s = 0; s < ranks - 1; ++s) {
    const int received = wrapped(last + (ranks - 2 - s), ranks);
    const int sent = wrapped(received + 1, ranks);
    RingStep step;
    step.sends = step.receives = true;
    step.after = s - 1;
    step.source = s == 0 ? RingSource::kSendBuffer : RingSource::kSlot;
    step.send_at = block(sent).at;
    step.send_length = block(sent).length;
    step.sink = s == ranks - 2 ? RingSink::kFinal : RingSink::kForward;
    step.own_at = block(received).at;
    step.store_at = result_is_part ? 0 : block(received).at;
    step.receive_length = block(received).length;
    plan.steps.push_back(step);
  }
}

/// Adds the allgather phase: complete parts of the vector travel once around the ring. This rank first sends
/// part `first`.
template <class BlockOf>
void add_gather_steps(int ranks, int first, BlockOf block, RingSource source, RingPlan& plan) {
  const int before = static_cast<int>(plan.steps.size());
  for (int s = 0; s < ranks - 1; ++s) {
    const int sent = wrapped(first - s, ranks);
    const int received = wrapped(first - s - 1, ranks);
    RingStep step;
    step.sends = step.receives = true;
    step.after = before + s - 1;
    step.source = s == 0 ? source : RingSource::kRecvBuffer;
    step.send_at = step.source == RingSource::kSendBuffer ? 0 : block(sent).at;
    step.send_length = block(sent).length;
    step.sink = RingSink::kStore;
    step.store_at = block(received).at;
    step.receive_length = block(received).length;
    plan.steps.push_back(step);
  }
}

/// Adds the steps of a broadcast or reduce: the vector travels along the ranks as a line, from first to last.
/// @param place position of this rank in the line
void add_line_steps(const Operation& operation, int place, int ranks, RingPlan& plan) {
  const bool reducing = operation.kind == CollectiveKind::kReduce;
  const bool is_first = place == 0;
  const bool is_last = place == ranks - 1;
  if (!is_first) {
    RingStep in;
    in.receives = true;
    in.sink = !reducing ? RingSink::kStore : is_last ? RingSink::kFinal : RingSink::kForward;
    in.receive_length = operation.count;
    plan.steps.push_back(in);
  }
  if (!is_last) {
    RingStep out;
    out.sends = true;
    out.after = is_first ? -1 : 0;
    out.source = is_first ? RingSource::kSendBuffer : reducing ? RingSource::kSlot : RingSource::kRecvBuffer;
    out.send_length = operation.count;
    plan.steps.push_back(out);
  }
}

}  // namespace

std::span<const CollectiveKind> ring_kinds() noexcept { return kKinds; }

void plan_ring(const Operation& operation, int rank, int ranks, RingPlan& plan) {
  const std::size_t count = operation.count;
  plan.steps.clear();
  plan.copies_own = false;
  const auto piece = [&](int i) { return block_of(count, ranks, i); };
  const auto part = [&](int i) { return BlockRange{static_cast<std::size_t>(i) * count, count}; };
  plan.longest = count;
  switch (operation.kind) {
    case CollectiveKind::kAllreduce: {
      const int mine = wrapped(rank + 1, ranks);
      add_reduce_steps(ranks, mine, piece, false, plan);
      add_gather_steps(ranks, mine, piece, RingSource::kRecvBuffer, plan);
      plan.longest = piece(0).length;
      break;
    }
    case CollectiveKind::kReducescatter:
      add_reduce_steps(ranks, rank, part, true, plan);
      break;
    case CollectiveKind::kAllgather:
      add_gather_steps(ranks, rank, part, RingSource::kSendBuffer, plan);
      plan.copies_own = true;
      plan.copy_to = part(rank).at;
      plan.copy_length = count;
      break;
    case CollectiveKind::kBroadcast:
      add_line_steps(operation, wrapped(rank - operation.root, ranks), ranks, plan);
      plan.copies_own = rank == operation.root;
      plan.copy_to = 0;
      plan.copy_length = count;
      break;
    case CollectiveKind::kReduce:
      add_line_steps(operation, wrapped(rank - operation.root - 1, ranks), ranks, plan);
      break;
    default:
      throw Error(ErrorCode::kInternal, "the ring has no plan for " + std::string(name_of(operation.kind)));
  }
}

}  // namespace collbench::cpu
