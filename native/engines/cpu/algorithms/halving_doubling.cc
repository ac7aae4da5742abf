#include <array>

#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

constexpr std::size_t kMostExchanges = 31;

/// One exchange of each way, with the rank whose number differs in one bit.
struct Exchange {
  int peer;
  Block kept;   // elements that this rank goes on with, and gives back
  Block given;  // elements that the peer goes on with, and gives back
  Place theirs;
  std::size_t reduced, returned;  // receives() behind what comes of `kept` and of `given`
};

int reversed_bits(int number, int size) noexcept {
  int reversed = 0;
  for (int bit = 1; bit < size; bit *= 2, number /= 2) reversed = 2 * reversed + number % 2;
  return reversed;
}

/// Each exchange halves what a rank still has to reduce; the way back doubles what it has of the result. The
/// first exchange, of most bytes, is with the nearest rank: blocks are numbered by the reversed bits of a
/// rank's number.
void allreduce_by_halving(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  const std::size_t count = operation.count;
  const Core core(rank, ranks);
  const auto input = [](std::size_t at) { return Place{Space::kSend, at}; };
  const auto result = [](std::size_t at) { return Place{Space::kRecv, at}; };
  if (core.own < 0) {
    schedule.send(rank + 1, input(0), count);
    schedule.receive(rank + 1, result(0), count);
    return;
  }
  const int own = reversed_bits(core.own, core.size);
  const auto blocks = [&](int first, int number) {
    const std::size_t at = block_of(count, core.size, first).at;
    const Block last = block_of(count, core.size, first + number - 1);
    return Block{at, last.at + last.length - at};
  };

  std::array<Exchange, kMostExchanges> exchanges;
  std::size_t last = 0;
  for (int half = core.size / 2; half > 0; half /= 2, ++last) {
    const Block kept = blocks(own & -half, half);
    exchanges[last] = {core.rank_of(reversed_bits(own ^ half, core.size)),
                       kept,
                       blocks((own ^ half) & -half, half),
                       schedule.scratch(kept.length),
                       0,
                       0};
  }
  if (core.has_folded()) {
    const Place theirs = schedule.scratch(count);
    schedule.receive(rank - 1, theirs, count);
    schedule.await();
    schedule.combine(result(0), input(0), theirs, count);
  }
  // Places of all that will come are known from the beginning. What comes back lies where data of this rank
  // left from: the peer had all of it before.
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
  const Block mine = exchanges[last - 1].kept;
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

/// The first half of it, for a power of two ranks. A rank ends with the part of its own number, so the first
/// exchange, of most bytes, is with the farthest.
void reducescatter_by_halving(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  const std::size_t count = operation.count;
  std::array<Place, kMostExchanges> theirs;
  std::size_t exchanges = 0;
  const auto parts = [&](int half) { return count * static_cast<std::size_t>(half); };
  for (int half = ranks / 2; half > 0; half /= 2, ++exchanges) {
    theirs[exchanges] = schedule.scratch(parts(half));
    schedule.receive(rank ^ half, theirs[exchanges], parts(half));
  }
  Place partial{Space::kSend, 0};  // of the parts from `first` on
  int first = 0;
  exchanges = 0;
  for (int half = ranks / 2; half > 0; half /= 2, ++exchanges) {
    const int kept = rank & -half, given = (rank ^ half) & -half;
    const auto part = [&](int number) {
      return partial.plus(count * static_cast<std::size_t>(number - first));
    };
    schedule.send(rank ^ half, part(given), parts(half));
    schedule.await(exchanges + 1);
    const Place to = half == 1 ? Place{Space::kRecv, 0} : theirs[exchanges];
    schedule.combine(to, part(kept), theirs[exchanges], parts(half));
    partial = to;
    first = kept;
  }
  if (operation.op == ReduceOp::kAvg) schedule.divide({Space::kRecv, 0}, count);
}

}  // namespace

bool takes_halving_doubling(const Operation& operation, int ranks) noexcept {
  return operation.kind == CollectiveKind::kAllreduce ||
         (operation.kind == CollectiveKind::kReducescatter && is_power_of_two(ranks));
}

void plan_halving_doubling(const Operation& operation, int rank, int ranks, Schedule& schedule) {
  if (operation.kind == CollectiveKind::kAllreduce)
    allreduce_by_halving(operation, rank, ranks, schedule);
  else
    reducescatter_by_halving(operation, rank, ranks, schedule);
}

}  // namespace collbench::cpu
