#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/direct.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

/// Returns offset and length, in elements, of the part that is sent to or received from `peer` in the buffer
/// of `rank`.
BlockRange part_of(const Operation& operation, int rank, int peer, int ranks) noexcept {
  if (operation.kind == CollectiveKind::kAlltoallv)
    return {alltoallv_offset(operation.count, rank, peer, ranks),
            alltoallv_count(operation.count, rank, peer, ranks)};
  return {static_cast<std::size_t>(peer) * operation.count, operation.count};
}

}  // namespace

bool takes_direct(const Operation& operation, int /*ranks*/) noexcept {
  switch (operation.kind) {
    case CollectiveKind::kAlltoall:
    case CollectiveKind::kAlltoallv:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
    case CollectiveKind::kSendrecv:
      return true;
    default:
      return DirectExecutor::supports(operation.kind);
  }
}

/// Algorithm direct: every message goes directly from a send to a receive buffer. Each rank begins with
/// another peer, so that not all ranks send to the same rank first.
void plan_direct(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  using enum CollectiveKind;
  const CollectiveKind kind = operation.kind;
  const std::size_t count = operation.count;
  if (kind == kSendrecv) {
    schedule.receive(wrapped(rank - 1, ranks), {BufferSpace::kRecv, 0}, count);
    schedule.send(wrapped(rank + 1, ranks), {BufferSpace::kSend, 0}, count);
    return;
  }
  const bool is_root = rank == operation.root;
  const auto sends_to = [&](int peer) {
    return kind == kGather ? peer == operation.root : kind == kScatter ? is_root : true;
  };
  const auto receives_from = [&](int peer) {
    return kind == kGather ? is_root : kind == kScatter ? peer == operation.root : true;
  };
  const auto outgoing = [&](int peer) {
    return kind == kGather ? BlockRange{0, count} : part_of(operation, rank, peer, ranks);
  };
  const auto incoming = [&](int peer) {
    return kind == kScatter ? BlockRange{0, count} : part_of(operation, rank, peer, ranks);
  };
  for (int away = 1; away < ranks; ++away) {
    const int peer = wrapped(rank - away, ranks);
    if (!receives_from(peer)) continue;
    const BlockRange block = incoming(peer);
    schedule.receive(peer, {BufferSpace::kRecv, block.at}, block.length);
  }
  for (int away = 1; away < ranks; ++away) {
    const int peer = wrapped(rank + away, ranks);
    if (!sends_to(peer)) continue;
    const BlockRange block = outgoing(peer);
    schedule.send(peer, {BufferSpace::kSend, block.at}, block.length);
  }
  if (sends_to(rank) && receives_from(rank))
    schedule.copy({BufferSpace::kRecv, incoming(rank).at}, {BufferSpace::kSend, outgoing(rank).at},
                  incoming(rank).length);
}

}  // namespace collbench::cpu
