#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {

bool takes_binomial(const Operation& operation, int /*ranks*/) noexcept {
  return operation.kind == CollectiveKind::kBroadcast || operation.kind == CollectiveKind::kReduce;
}

/// Binomial tree in which ranks are numbered from the root, which is number 0. The parent of a number is that
/// number without its lowest set bit. A child of a number has one more bit set, below the number's lowest set
/// bit.
void plan_binomial(const Operation& operation, int rank, int ranks, const ChunkTuning& /*chunks*/,
                   Schedule& schedule) {
  const std::size_t count = operation.count;
  const int own = wrapped(rank - operation.root, ranks);
  const auto real = [&](int number) { return wrapped(number + operation.root, ranks); };
  const bool is_root = own == 0;
  int top = 1;  // Children are own + 1, own + 2, own + 4, ... below this bound.
  while (is_root ? top < ranks : (own & top) == 0) top *= 2;
  const int parent = real(own - (is_root ? 0 : top));
  const BufferPosition input{BufferSpace::kSend, 0}, result{BufferSpace::kRecv, 0};

  if (operation.kind == CollectiveKind::kBroadcast) {
    if (!is_root) {
      schedule.receive(parent, result, count);
      schedule.await();
    }
    for (int child = top / 2; child > 0; child /= 2)
      if (own + child < ranks) schedule.send(real(own + child), is_root ? input : result, count);
    if (is_root) schedule.copy_when_idle(result, input, count);
    return;
  }
  const BufferPosition first = schedule.scratch(0);
  for (int child = 1; child < top; child *= 2)
    if (own + child < ranks) schedule.receive(real(own + child), schedule.scratch(count), count);
  const std::size_t children = schedule.receives();
  const BufferPosition partial = is_root ? result : schedule.scratch(children == 0 ? 0 : count);
  for (std::size_t i = 0; i < children; ++i) {
    schedule.await(i + 1);
    schedule.combine(partial, i == 0 ? input : partial, first.plus(i * count), count);
  }
  if (!is_root)
    schedule.send(parent, children == 0 ? input : partial, count);
  else if (operation.op == ReduceOp::kAvg)
    schedule.divide(result, count);
}

}  // namespace collbench::cpu
