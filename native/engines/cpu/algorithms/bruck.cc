#include <algorithm>

#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

Place nth(Place first, int part, std::size_t count) noexcept {
  return first.plus(static_cast<std::size_t>(part) * count);
}

/// Place i has the part of the rank that is i further; twice as many are known after each exchange.
void allgather_by_bruck(std::size_t count, int rank, int ranks, Schedule& schedule) {
  const Place known = schedule.scratch(count * static_cast<std::size_t>(ranks));
  schedule.copy(known, {Space::kSend, 0}, count);
  for (int distance = 1; distance < ranks; distance *= 2) {
    const auto parts = static_cast<std::size_t>(std::min(distance, ranks - distance));
    schedule.receive(wrapped(rank + distance, ranks), nth(known, distance, count), parts * count);
    schedule.send(wrapped(rank - distance, ranks), known, parts * count);
    schedule.await();
  }
  const int turned = ranks - rank;  // parts up to the last rank's
  schedule.copy({Space::kRecv, static_cast<std::size_t>(rank) * count}, known,
                static_cast<std::size_t>(turned) * count);
  schedule.copy({Space::kRecv, 0}, nth(known, turned, count), static_cast<std::size_t>(rank) * count);
}

/// Place i has what has to go i ranks further; by each exchange those go whose distance has that bit.
void alltoall_by_bruck(std::size_t count, int rank, int ranks, Schedule& schedule) {
  const Place parts = schedule.scratch(count * static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i)
    schedule.copy(nth(parts, i, count), nth({Space::kSend, 0}, wrapped(rank + i, ranks), count), count);
  for (int distance = 1; distance < ranks; distance *= 2) {
    int number = 0;
    for (int i = distance; i < ranks; ++i) number += (i & distance) != 0 ? 1 : 0;
    const std::size_t length = static_cast<std::size_t>(number) * count;
    const Place out = schedule.scratch(length), in = schedule.scratch(length);
    for (int i = distance, at = 0; i < ranks; ++i)
      if ((i & distance) != 0) schedule.copy(nth(out, at++, count), nth(parts, i, count), count);
    schedule.receive(wrapped(rank - distance, ranks), in, length);
    schedule.send(wrapped(rank + distance, ranks), out, length);
    schedule.await();
    for (int i = distance, at = 0; i < ranks; ++i)
      if ((i & distance) != 0) schedule.copy(nth(parts, i, count), nth(in, at++, count), count);
  }
  for (int i = 0; i < ranks; ++i)
    schedule.copy(nth({Space::kRecv, 0}, wrapped(rank - i, ranks), count), nth(parts, i, count), count);
}

}  // namespace

bool takes_bruck(const Operation& operation, int /*ranks*/) noexcept {
  return operation.kind == CollectiveKind::kAllgather || operation.kind == CollectiveKind::kAlltoall;
}

void plan_bruck(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  if (operation.kind == CollectiveKind::kAllgather)
    allgather_by_bruck(operation.count, rank, ranks, schedule);
  else
    alltoall_by_bruck(operation.count, rank, ranks, schedule);
}

}  // namespace collbench::cpu
