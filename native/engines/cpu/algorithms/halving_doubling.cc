#include <array>

#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

constexpr std::size_t kMaxExchanges = 31;

/// Two exchanges, one while halving and one while doubling, with the rank whose number differs in one bit.
struct HalvingExchange {
  int peer;
  BlockRange kept;   // Elements that this rank keeps reducing, and returns later.
  BlockRange given;  // Elements that the peer keeps reducing, and returns later.
  BufferPosition theirs;
  std::size_t reduced, returned;  // Values of receives() after the receives of `kept` and of `given`.
};

int reversed_bits(int number, int size) noexcept {
  int reversed = 0;
  for (int bit = 1; bit < size; bit *= 2, number /= 2) reversed = 2 * reversed + number % 2;
  return reversed;
}

/// Allreduce: each exchange halves the part of the vector that a rank must still reduce; exchanges in reverse
/// order then double the part of the result that it has. Parts are numbered by the reversed bits of a rank's
/// number. So the first exchange, which moves the most bytes, is with the nearest rank.
void allreduce_by_halving(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  const std::size_t count = operation.count;
  const FoldedRanks core(rank, ranks);
  const auto input = [](std::size_t at) { return BufferPosition{BufferSpace::kSend, at}; };
  const auto result = [](std::size_t at) { return BufferPosition{BufferSpace::kRecv, at}; };
  if (core.own < 0) {
    schedule.send(rank + 1, input(0), count);
    schedule.receive(rank + 1, result(0), count);
    return;
  }
  const int own = reversed_bits(core.own, core.size);
  const auto blocks = [&](int first, int number) {
    const std::size_t at = block_of(count, core.size, first).at;
    const BlockRange last = block_of(count, core.size, first + number - 1);
    return BlockRange{at, last.at + last.length - at};
  };

  std::array<HalvingExchange, kMaxExchanges> exchanges;
  std::size_t last = 0;
  for (int half = core.size / 2; half > 0; half /= 2, ++last) {
    const BlockRange kept = blocks(own & -half, half);
    exchanges[last] = {core.rank_of(reversed_bits(own ^ half, core.size)),
                       kept,
                       blocks((own ^ half) & -half, half),
                       schedule.scratch(kept.length),
                       0,
                       0};
  }
  if (core.has_folded()) {
    const BufferPosition theirs = schedule.scratch(count);
    schedule.receive(rank - 1, theirs, count);
    schedule.await();
    schedule.combine(result(0), input(0), theirs, count);
  }
  // The destinations of all messages are known from the beginning. Returned data overwrite data that this
  // rank sent; the peer had received all of it before.
  for (std::size_t i = 0; i < last; ++i) {
    schedule.receive(exchanges[i].peer, exchanges[i].theirs, exchanges[i].kept.length);
    exchanges[i].reduced = schedule.receives();
  }
  for (std::size_t i = last; i-- > 0;) {
    schedule.receive(exchanges[i].peer, result(exchanges[i].given.at), exchanges[i].given.length);
    exchanges[i].returned = schedule.receives();
  }
  bool is_reduced = core.has_folded();
  for (std::size_t i = 0; i < last; ++i, is_reduced = true) {
    const auto& [peer, kept, given, theirs, reduced, returned] = exchanges[i];
    const auto partial = [&](std::size_t at) { return is_reduced ? result(at) : input(at); };
    schedule.send(peer, partial(given.at), given.length);
    schedule.await(reduced);
    schedule.combine(result(kept.at), partial(kept.at), theirs, kept.length);
  }
  const BlockRange mine = exchanges[last - 1].kept;
  if (operation.op == ReduceOp::kAvg) schedule.divide(result(mine.at), mine.length);
  for (std::size_t i = last; i-- > 0;) {
    if (i + 1 < last) schedule.await(exchanges[i + 1].returned);
    schedule.send(exchanges[i].peer, result(exchanges[i].kept.at), exchanges[i].kept.length);
  }
  if (core.has_folded()) {
    schedule.await();
    schedule.send(rank - 1, result(0), count);
  }
}

/// Reducescatter: only the halving exchanges, for a power of two ranks. A rank must end with the part of its
/// own number. So the first exchange, which moves the most bytes, is with the farthest rank.
void reducescatter_by_halving(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  const std::size_t count = operation.count;
  std::array<BufferPosition, kMaxExchanges> theirs;
  std::size_t exchanges = 0;
  const auto parts = [&](int half) { return count * static_cast<std::size_t>(half); };
  for (int half = ranks / 2; half > 0; half /= 2, ++exchanges) {
    theirs[exchanges] = schedule.scratch(parts(half));
    schedule.receive(rank ^ half, theirs[exchanges], parts(half));
  }
  BufferPosition partial{BufferSpace::kSend, 0};  // Partial sums of the parts from `first` on.
  int first = 0;
  exchanges = 0;
  for (int half = ranks / 2; half > 0; half /= 2, ++exchanges) {
    const int kept = rank & -half, given = (rank ^ half) & -half;
    const auto part = [&](int number) {
      return partial.plus(count * static_cast<std::size_t>(number - first));
    };
    schedule.send(rank ^ half, part(given), parts(half));
    schedule.await(exchanges + 1);
    const BufferPosition to = half == 1 ? BufferPosition{BufferSpace::kRecv, 0} : theirs[exchanges];
    schedule.combine(to, part(kept), theirs[exchanges], parts(half));
    partial = to;
    first = kept;
  }
  if (operation.op == ReduceOp::kAvg) schedule.divide({BufferSpace::kRecv, 0}, count);
}

}  // namespace

bool takes_halving_doubling(const Operation& operation, int ranks) noexcept {
  return operation.kind == CollectiveKind::kAllreduce ||
         (operation.kind == CollectiveKind::kReducescatter && is_power_of_two(ranks));
}

void plan_halving_doubling(const Operation& operation, int rank, int ranks, const ChunkTuning& /*chunks*/,
                           Schedule& schedule) {
  if (operation.kind == CollectiveKind::kAllreduce)
    allreduce_by_halving(operation, rank, ranks, schedule);
  else
    reducescatter_by_halving(operation, rank, ranks, schedule);
}

}  // namespace collbench::cpu
