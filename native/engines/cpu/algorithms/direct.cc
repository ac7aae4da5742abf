#include <algorithm>

#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

/// Part of a buffer that is sent to or received from one rank: part_for() or part_from().
using PartOf = BufferPart (*)(const Operation& operation, int rank, int peer, int ranks) noexcept;

/// Returns offset and length, in elements, of what is sent to or received from `peer` in a buffer of `rank`.
BufferPart part_in(const Operation& operation, BufferExtent extent, PartOf part_of, int rank, int peer,
                   int ranks) noexcept {
  if (extent == BufferExtent::kPart) return {0, operation.count};
  if (operation.kind == CollectiveKind::kAlltoallv) return part_of(operation, rank, peer, ranks);
  return {static_cast<std::size_t>(peer) * operation.count, operation.count};
}

/// Moves data without computing: each message goes directly from a send to a receive buffer.
void move_directly(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  const CollectiveRow& kind = row_of(operation.kind);
  const bool is_root = rank == operation.root;
  const auto sends_to = [&](int peer) {
    return kind.root_receives ? peer == operation.root : !kind.root_sends || is_root;
  };
  const auto receives_from = [&](int peer) {
    return kind.root_sends ? peer == operation.root : !kind.root_receives || is_root;
  };
  const auto incoming_from = [&](int peer) {
    return part_in(operation, kind.receive, part_from, rank, peer, ranks);
  };
  const auto outgoing_to = [&](int peer) {
    return part_in(operation, kind.send, part_for, rank, peer, ranks);
  };
  for (int away = 1; away < ranks; ++away) {
    const int peer = wrapped(rank - away, ranks);
    if (!receives_from(peer)) continue;
    const BufferPart incoming = incoming_from(peer);
    schedule.receive(peer, {BufferSpace::kRecv, incoming.at}, incoming.length);
  }
  for (int away = 1; away < ranks; ++away) {
    const int peer = wrapped(rank + away, ranks);
    if (!sends_to(peer)) continue;
    const BufferPart outgoing = outgoing_to(peer);
    schedule.send(peer, {BufferSpace::kSend, outgoing.at}, outgoing.length);
  }
  if (sends_to(rank) && receives_from(rank))
    schedule.copy_when_idle({BufferSpace::kRecv, incoming_from(rank).at},
                            {BufferSpace::kSend, outgoing_to(rank).at}, incoming_from(rank).length);
}

/// Every rank that needs a result receives the data of all others and combines them in rank order, chunk by
/// chunk. Messages of the next chunk are under way meanwhile.
/// @param chunk_bytes size of one rank's chunk; scratch memory has two chunks of each peer
void reduce_directly(const Operation& operation, int rank, int ranks, std::size_t chunk_bytes,
                     Schedule& schedule) {
  const bool scatters = operation.kind == CollectiveKind::kReducescatter;
  const bool is_reduce = operation.kind == CollectiveKind::kReduce;
  const bool has_result = !is_reduce || rank == operation.root;
  const std::size_t count = operation.count, peers = static_cast<std::size_t>(ranks - 1);
  const std::size_t chunk = std::min(count, std::max<std::size_t>(1, chunk_bytes / size_of(operation.dtype)));
  const std::size_t chunks = (count + chunk - 1) / chunk;
  const BufferPosition slots =
      schedule.scratch(has_result ? std::min<std::size_t>(2, chunks) * peers * chunk : 0);
  const auto length = [&](std::size_t k) { return std::min(chunk, count - k * chunk); };
  const auto input = [&](int peer, std::size_t k) {
    return BufferPosition{BufferSpace::kSend,
                          (scatters ? static_cast<std::size_t>(peer) * count : 0) + k * chunk};
  };
  // Data of rank `peer` for this rank.
  const auto operand = [&](int peer, std::size_t k) {
    if (peer == rank) return input(rank, k);
    return slots.plus((k % 2 * peers + static_cast<std::size_t>(peer - (peer > rank ? 1 : 0))) * chunk);
  };
  const auto post = [&](std::size_t k) {
    for (int away = 1; has_result && away < ranks; ++away) {
      const int peer = wrapped(rank - away, ranks);
      schedule.receive(peer, operand(peer, k), length(k));
    }
    for (int away = 1; away < ranks; ++away) {
      const int peer = wrapped(rank + away, ranks);
      if (!is_reduce || peer == operation.root) schedule.send(peer, input(peer, k), length(k));
    }
  };
  post(0);
  for (std::size_t k = 0; k < chunks; ++k) {
    if (k + 1 < chunks) post(k + 1);
    if (!has_result) continue;
    schedule.await((k + 1) * peers);
    // In place, the result lies where messages of this chunk are still read.
    if (operation.in_place && operation.kind == CollectiveKind::kAllreduce) schedule.drain((k + 1) * peers);
    const BufferPosition result{BufferSpace::kRecv, k * chunk};
    BufferPosition partial = operand(0, k);
    for (int peer = 1; peer < ranks; ++peer) {
      const BufferPosition theirs = operand(peer, k);
      const BufferPosition to = peer == ranks - 1 ? result : peer == rank ? partial : theirs;
      schedule.combine(to, partial, theirs, length(k));
      partial = to;
    }
    if (operation.op == ReduceOp::kAvg) schedule.divide(result, length(k));
  }
}

}  // namespace

bool takes_direct(const Operation& operation, int /*ranks*/) noexcept {
  return operation.kind != CollectiveKind::kHypercube;
}

/// Algorithm direct: every rank sends to all that need its data. Each rank begins with another peer, so that
/// not all ranks send to the same rank first.
void plan_direct(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
                 Schedule& schedule) {
  if (operation.kind == CollectiveKind::kSendrecv) {
    schedule.receive(wrapped(rank - 1, ranks), {BufferSpace::kRecv, 0}, operation.count);
    schedule.send(wrapped(rank + 1, ranks), {BufferSpace::kSend, 0}, operation.count);
  } else if (reduces(operation.kind)) {
    reduce_directly(operation, rank, ranks, chunks.direct, schedule);
  } else {
    move_directly(operation, rank, ranks, schedule);
  }
}

}  // namespace collbench::cpu
