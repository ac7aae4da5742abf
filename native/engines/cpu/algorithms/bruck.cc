#include <algorithm>

#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

BufferPosition nth(BufferPosition first, int part, std::size_t count) noexcept {
  return first.plus(static_cast<std::size_t>(part) * count);
}

/// Bruck's allgather. Part i of the scratch memory holds the data of rank (rank + i) mod n. Each exchange
/// doubles the number of parts that this rank has.
void allgather_by_bruck(std::size_t count, int rank, int ranks, Schedule& schedule) {
  const BufferPosition known = schedule.scratch(count * static_cast<std::size_t>(ranks));
  schedule.copy(known, {BufferSpace::kSend, 0}, count);
  for (int distance = 1; distance < ranks; distance *= 2) {
    const auto parts = static_cast<std::size_t>(std::min(distance, ranks - distance));
    schedule.receive(wrapped(rank + distance, ranks), nth(known, distance, count), parts * count);
    schedule.send(wrapped(rank - distance, ranks), known, parts * count);
    schedule.await();
  }
  const int turned = ranks - rank;  // Parts up to the last rank's.
  schedule.copy({BufferSpace::kRecv, static_cast<std::size_t>(rank) * count}, known,
                static_cast<std::size_t>(turned) * count);
  schedule.copy({BufferSpace::kRecv, 0}, nth(known, turned, count), static_cast<std::size_t>(rank) * count);
}

/// Bruck's alltoall. Part i of the scratch memory holds the data whose destination is i ranks ahead.
/// Exchange k moves the parts whose number i has bit k set.
void alltoall_by_bruck(std::size_t count, int rank, int ranks, Schedule& schedule) {
  const BufferPosition parts = schedule.scratch(count * static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i)
    schedule.copy(nth(parts, i, count), nth({BufferSpace::kSend, 0}, wrapped(rank + i, ranks), count), count);
  for (int distance = 1; distance < ranks; distance *= 2) {
    int number = 0;
    for (int i = distance; i < ranks; ++i) number += (i & distance) != 0 ? 1 : 0;
    const std::size_t length = static_cast<std::size_t>(number) * count;
    const BufferPosition out = schedule.scratch(length), in = schedule.scratch(length);
    for (int i = distance, at = 0; i < ranks; ++i)
      if ((i & distance) != 0) schedule.copy(nth(out, at++, count), nth(parts, i, count), count);
    schedule.receive(wrapped(rank - distance, ranks), in, length);
    schedule.send(wrapped(rank + distance, ranks), out, length);
    schedule.await();
    for (int i = distance, at = 0; i < ranks; ++i)
      if ((i & distance) != 0) schedule.copy(nth(parts, i, count), nth(in, at++, count), count);
  }
  for (int i = 0; i < ranks; ++i)
    schedule.copy(nth({BufferSpace::kRecv, 0}, wrapped(rank - i, ranks), count), nth(parts, i, count), count);
}

}  // namespace

bool takes_bruck(const Operation& operation, int /*ranks*/) noexcept {
  return operation.kind == CollectiveKind::kAllgather || operation.kind == CollectiveKind::kAlltoall;
}

void plan_bruck(const Operation& operation, int rank, int ranks, const ChunkTuning& /*chunks*/,
                Schedule& schedule) {
  if (operation.kind == CollectiveKind::kAllgather)
    allgather_by_bruck(operation.count, rank, ranks, schedule);
  else
    alltoall_by_bruck(operation.count, rank, ranks, schedule);
}

}  // namespace collbench::cpu
