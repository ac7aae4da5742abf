#include <algorithm>
#include <vector>

#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

/// Number of receives that are posted in advance: before a rank handles item i, it posts those up to item i +
/// 15.
constexpr std::size_t kReceivesAhead = 16;
/// Number of slots (memory for a received chunk) in addition to those that are always needed, so that
/// receives can be posted early. Needed are `skew` slots for each step that combines, since a rank holds so
/// many chunks of such a step. With fewer slots, all ranks could wait for a free slot at their neighbours for
/// ever.
constexpr std::size_t kSlotsAhead = 4;
constexpr std::size_t kCacheLineBytes = 64;

/// One part of the vector that the left neighbour sends, and what this rank does with it.
struct RingStep {
  BlockRange part;         // Position in the vector, where this rank's own data are in the send buffer.
  bool combines = false;   // Combined with this rank's own data.
  bool is_stored = false;  // Stored in the receive buffer; otherwise it stays in a slot until it is sent on.
  std::size_t store_at = 0;
  bool is_sent_on = true;
};

/// Writes the schedule of one rank. Each part of the vector is cut into chunks; item (s, k) is chunk k of
/// step s. What a rank sends after its item (s, k) is item (s + 1, k) of its right neighbour. All ranks
/// process items in the same order, in rounds: round t has (s, t - s * skew) for all steps s. So each chunk
/// travels around the ring while it is still in cache, and later chunks hide the latency of a hop.
class RingWriter {
 public:
  RingWriter(const Operation& operation, int rank, int ranks, const ChunkTuning& tuning, Schedule& schedule)
      : operation_(operation),
        rank_(rank),
        ranks_(ranks),
        skew_(static_cast<std::size_t>(tuning.skew)),
        schedule_(schedule) {
    const std::size_t count = operation.count;
    const auto piece = [&](int i) { return block_of(count, ranks, i); };
    const auto part = [&](int i) { return BlockRange{static_cast<std::size_t>(i) * count, count}; };
    std::size_t longest = count;
    switch (operation.kind) {
      case CollectiveKind::kAllreduce: {
        const int mine = wrapped(rank + 1, ranks);
        add_reduce_steps(mine, piece);
        add_gather_steps(mine, piece);
        longest = piece(0).length;
        break;
      }
      case CollectiveKind::kReducescatter:
        add_reduce_steps(rank, part);
        steps_.back().store_at = 0;
        break;
      case CollectiveKind::kAllgather:
        first_ = {0, count};
        add_gather_steps(rank, part);
        break;
      default:
        add_line_step();
    }
    if (!steps_.empty() && !has_root(operation.kind)) steps_.back().is_sent_on = false;
    cut(longest, tuning);
  }

  void write() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      for (; posted_ < std::min(items_.size(), i + kReceivesAhead) && has_slot(); ++posted_)
        post(items_[posted_]);
      if (items_[i].step == 0) send_own(items_[i].chunk + skew_ + 1);
      take(items_[i]);
    }
    send_own(chunks_);
    const bool copies = operation_.kind == CollectiveKind::kAllgather ||
                        (operation_.kind == CollectiveKind::kBroadcast && rank_ == operation_.root);
    const std::size_t own = operation_.kind == CollectiveKind::kAllgather
                                ? static_cast<std::size_t>(rank_) * operation_.count
                                : 0;
    if (copies)
      schedule_.copy_when_idle({BufferSpace::kRecv, own}, {BufferSpace::kSend, 0}, operation_.count);
  }

 private:
  struct Item {
    std::size_t step;
    std::size_t chunk;
  };

  /// Adds the reduce-scatter phase: partial sums travel once around the ring. After n-1 steps this rank has
  /// the complete sum of part `last` of the vector.
  template <class BlockOf>
  void add_reduce_steps(int last, BlockOf block) {
    first_ = block(wrapped(last - 1, ranks_));
    for (int s = ranks_ - 2; s >= 0; --s) {
      const BlockRange part = block(wrapped(last + s, ranks_));
      steps_.push_back({part, true, s == 0, part.at, true});
    }
  }

  /// Adds the allgather phase: complete parts of the vector travel once around the ring. This rank has part
  /// `own` at the beginning.
  template <class BlockOf>
  void add_gather_steps(int own, BlockOf block) {
    for (int s = 1; s < ranks_; ++s) {
      const BlockRange part = block(wrapped(own - s, ranks_));
      steps_.push_back({part, false, true, part.at, true});
    }
  }

  /// Adds the step of a broadcast or reduce: the vector travels along the ranks as a line. The root is the
  /// first rank of a broadcast and the last one of a reduce.
  void add_line_step() {
    const bool reducing = operation_.kind == CollectiveKind::kReduce;
    const int place = wrapped(rank_ - operation_.root - (reducing ? 1 : 0), ranks_);
    const bool is_last = place == ranks_ - 1;
    const BlockRange whole{0, operation_.count};
    if (place == 0)
      first_ = whole;
    else
      steps_.push_back({whole, reducing, is_last || !reducing, 0, !is_last});
  }

  /// Cuts steps into items.
  /// @param longest elements of the longest part that any rank moves in one step; all ranks cut their parts
  /// alike
  void cut(std::size_t longest, const ChunkTuning& tuning) {
    const std::size_t element = size_of(operation_.dtype);
    const std::size_t wanted = std::clamp(longest * element / tuning.per_block,
                                          std::min(tuning.smallest, tuning.largest), tuning.largest);
    // Chunks are whole cache lines if large enough, so that two messages never share a line.
    const std::size_t whole = wanted < kCacheLineBytes ? wanted : wanted / kCacheLineBytes * kCacheLineBytes;
    chunk_ = std::max<std::size_t>(1, whole / element);
    chunks_ = (longest + chunk_ - 1) / chunk_;
    const std::size_t rounds = steps_.empty() ? 0 : chunks_ + (steps_.size() - 1) * skew_;
    std::size_t combined = 0;
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t step = 0; step < steps_.size() && step * skew_ <= round; ++step) {
        const std::size_t chunk = round - step * skew_;
        if (chunk >= chunks_) continue;
        items_.push_back({step, chunk});
        combined += steps_[step].combines ? 1 : 0;
      }
    sends_of_slot_.resize(std::min(combined, skew_ * static_cast<std::size_t>(ranks_ - 1) + kSlotsAhead));
    const std::size_t line = kCacheLineBytes / element;
    slot_ = (std::min(chunk_, longest) + line - 1) / line * line;
    slots_ = schedule_.scratch(sends_of_slot_.size() * slot_);
  }

  [[nodiscard]] BlockRange within(const BlockRange& part, std::size_t chunk) const noexcept {
    const std::size_t at = std::min(chunk * chunk_, part.length);
    return {part.at + at, std::min(chunk_, part.length - at)};
  }
  [[nodiscard]] BufferPosition slot(std::size_t number) const noexcept {
    return slots_.plus(number % sends_of_slot_.size() * slot_);
  }
  [[nodiscard]] BufferPosition stored(const RingStep& step, std::size_t chunk) const noexcept {
    return {BufferSpace::kRecv, step.store_at + within({0, step.part.length}, chunk).at};
  }
  /// Returns true if the next receive needs no slot, or a slot is free because this rank has sent on or
  /// stored its data.
  [[nodiscard]] bool has_slot() const noexcept {
    return !steps_[items_[posted_].step].combines || slots_taken_ < slots_freed_ + sends_of_slot_.size();
  }

  void post(const Item& item) {
    const RingStep& step = steps_[item.step];
    const std::size_t length = within(step.part, item.chunk).length;
    if (!step.combines) return schedule_.receive(left(), stored(step, item.chunk), length);
    schedule_.receive(left(), slot(slots_taken_), length,
                      sends_of_slot_[slots_taken_ % sends_of_slot_.size()]);
    ++slots_taken_;
  }

  void take(const Item& item) {
    const RingStep& step = steps_[item.step];
    const BlockRange own = within(step.part, item.chunk);
    if (own.length > 0) schedule_.await(++awaited_);
    BufferPosition at = stored(step, item.chunk);
    if (step.combines) {
      const BufferPosition theirs = slot(slots_freed_);
      if (!step.is_stored) at = theirs;
      schedule_.combine(at, {BufferSpace::kSend, own.at}, theirs, own.length);
      if (step.is_stored && operation_.op == ReduceOp::kAvg) schedule_.divide(at, own.length);
    }
    if (step.is_sent_on) schedule_.send(right(), at, own.length);
    if (step.combines)
      sends_of_slot_[slots_freed_++ % sends_of_slot_.size()] = step.is_stored ? 0 : schedule_.sends();
  }

  /// Appends sends of the part that this rank has at the beginning, until the first `chunks` chunks of it are
  /// sent.
  void send_own(std::size_t chunks) {
    for (; own_sent_ < std::min(chunks, chunks_); ++own_sent_) {
      const BlockRange own = within(first_, own_sent_);
      schedule_.send(right(), {BufferSpace::kSend, own.at}, own.length);
    }
  }

  [[nodiscard]] int left() const noexcept { return wrapped(rank_ - 1, ranks_); }
  [[nodiscard]] int right() const noexcept { return wrapped(rank_ + 1, ranks_); }

  const Operation& operation_;
  int rank_, ranks_;
  std::size_t skew_;
  Schedule& schedule_;
  BlockRange first_{0, 0};  // Part of the send buffer that this rank sends at the beginning.
  std::vector<RingStep> steps_;
  std::vector<Item> items_;
  std::size_t chunk_ = 1, chunks_ = 0;  // Elements per chunk, chunks per part.
  BufferPosition slots_;
  std::size_t slot_ = 0;                    // Elements per slot.
  std::vector<std::size_t> sends_of_slot_;  // By slot: sends after which its memory is free.
  std::size_t posted_ = 0, awaited_ = 0, own_sent_ = 0, slots_taken_ = 0, slots_freed_ = 0;
};

}  // namespace

bool takes_ring(const Operation& operation, int /*ranks*/) noexcept {
  switch (operation.kind) {
    case CollectiveKind::kAllreduce:
    case CollectiveKind::kAllgather:
    case CollectiveKind::kReducescatter:
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
      return true;
    default:
      return false;
  }
}

void plan_ring(const Operation& operation, int rank, int ranks, const ChunkTuning& chunks,
               Schedule& schedule) {
  RingWriter(operation, rank, ranks, chunks, schedule).write();
}

}  // namespace collbench::cpu
