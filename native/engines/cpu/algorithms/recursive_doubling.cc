#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

void allreduce_by_doubling(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  const std::size_t count = operation.count;
  const BufferPosition result{BufferSpace::kRecv, 0};
  const FoldedRanks core(rank, ranks);
  BufferPosition own{BufferSpace::kSend, 0};
  if (core.own < 0) {
    schedule.send(rank + 1, own, count);
    schedule.receive(rank + 1, result, count);
    return;
  }
  // No step overwrites data that are still being sent, so nobody waits for sends. In place, only the last
  // result may lie where the first message is still read.
  const auto combine = [&](BufferPosition theirs, bool is_last) {
    if (is_last && operation.in_place) schedule.drain();
    const BufferPosition to = is_last ? result : schedule.scratch(count);
    schedule.combine(to, own, theirs, count);
    own = to;
  };
  if (core.has_folded()) {
    const BufferPosition theirs = schedule.scratch(count);
    schedule.receive(rank - 1, theirs, count);
    schedule.await();
    combine(theirs, false);
  }
  for (int distance = 1; distance < core.size; distance *= 2) {
    const int peer = core.rank_of(core.own ^ distance);
    const BufferPosition theirs = schedule.scratch(count);
    schedule.receive(peer, theirs, count);
    schedule.send(peer, own, count);
    schedule.await();
    combine(theirs, 2 * distance == core.size);
  }
  if (operation.op == ReduceOp::kAvg) schedule.divide(result, count);
  if (core.has_folded()) schedule.send(rank - 1, result, count);
}

/// Allgather by recursive doubling: after exchange k, each rank of a group of 2^k has the group's data.
void allgather_by_doubling(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  const std::size_t count = operation.count;
  const auto part = [&](int first) {
    return BufferPosition{BufferSpace::kRecv, static_cast<std::size_t>(first) * count};
  };
  for (int distance = 1; distance < ranks; distance *= 2)
    schedule.receive(rank ^ distance, part((rank ^ distance) & -distance),
                     count * static_cast<std::size_t>(distance));
  std::size_t come = 0;
  for (int distance = 1; distance < ranks; distance *= 2) {
    schedule.await(come++);
    const BufferPosition known =
        distance == 1 ? BufferPosition{BufferSpace::kSend, 0} : part(rank & -distance);
    schedule.send(rank ^ distance, known, count * static_cast<std::size_t>(distance));
    if (distance == 1) schedule.copy(part(rank), {BufferSpace::kSend, 0}, count);
  }
}

}  // namespace

bool takes_recursive_doubling(const Operation& operation, int ranks) noexcept {
  switch (operation.kind) {
    case CollectiveKind::kAllreduce:
      return true;
    case CollectiveKind::kAllgather:
    case CollectiveKind::kHypercube:
      return is_power_of_two(ranks);
    default:
      return false;
  }
}

void plan_recursive_doubling(const Operation& operation, int rank, int ranks, const ChunkTuning& /*chunks*/,
                             Schedule& schedule) {
  if (operation.kind == CollectiveKind::kAllreduce)
    allreduce_by_doubling(operation, rank, ranks, schedule);
  else
    allgather_by_doubling(operation, rank, ranks, schedule);
}

}  // namespace collbench::cpu
