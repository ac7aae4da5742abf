#include <algorithm>
#include <tuple>
#include <vector>

#include "engines/cpu/algorithms/algorithms.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

/// Bytes of one chunk. If a tree's half of the vector is longer, it is sent as a pipeline of chunks.
constexpr std::size_t kTreeChunkBytes = std::size_t{64} << 10;
/// Number of events (TreeEvent) whose receives are posted in advance: before a rank handles event i, it posts
/// those up to event i + 4.
constexpr std::size_t kPostedAhead = 4;
constexpr int kTrees = 2;

/// Two binary trees over the numbers 1 to ranks-1. In both trees the root's parent is number 0, the root of
/// the operation. A number that is an inner node of one tree is a leaf of the other. Trees are built over
/// labels: inner nodes have even labels. In the first tree a label is the number. The second tree mirrors the
/// numbers, or shifts them by one if mirrored labels would have the same parity.
class TwoTrees {
 public:
  explicit TwoTrees(int ranks) noexcept : ranks_(ranks) {}

  [[nodiscard]] int parent(int tree, int number) const noexcept {
    const int label = label_of(tree, number);
    const int bit = label & -label;
    const int up = (label ^ bit) | (2 * bit);
    return number_of(tree, up < ranks_ ? up : label ^ bit);
  }
  [[nodiscard]] std::vector<int> children(int tree, int number) const {
    std::vector<int> found;
    for (int other = 1; other < ranks_; ++other)
      if (parent(tree, other) == number) found.push_back(other);
    return found;
  }
  [[nodiscard]] int depth(int tree, int number) const noexcept {
    int steps = 0;
    for (; number != 0; number = parent(tree, number)) ++steps;
    return steps;
  }
  [[nodiscard]] int height() const noexcept {
    int most = 0;
    for (int tree = 0; tree < kTrees; ++tree)
      for (int number = 1; number < ranks_; ++number) most = std::max(most, depth(tree, number));
    return most;
  }

 private:
  [[nodiscard]] int label_of(int tree, int number) const noexcept {
    if (tree == 0 || number == 0) return number;
    return ranks_ % 2 == 1 ? ranks_ - number : number % (ranks_ - 1) + 1;
  }
  [[nodiscard]] int number_of(int tree, int label) const noexcept {
    if (tree == 0 || label == 0) return label;
    if (ranks_ % 2 == 1) return ranks_ - label;
    return label == 1 ? ranks_ - 1 : label - 1;
  }
  int ranks_;
};

/// One chunk that passes this rank in one tree, to or from the root. Its `time` is a step number; the times
/// at the two ends of a message differ by one. So both ranks process their messages in the same order. An
/// event waits only for events with an earlier time.
struct TreeEvent {
  int time;
  bool is_down;
  int tree;
  std::size_t chunk;
  [[nodiscard]] auto key() const noexcept { return std::tuple(time, is_down, tree, chunk); }
};

class TreePlan {
 public:
  TreePlan(const Operation& operation, int rank, int ranks, Schedule& schedule)
      : operation_(operation),
        schedule_(schedule),
        ranks_(ranks),
        own_(wrapped(rank - root(), ranks)),
        chunk_(std::max<std::size_t>(1, kTreeChunkBytes / size_of(operation.dtype))) {
    const TwoTrees trees(ranks);
    const int height = trees.height();
    for (int tree = 0; tree < kTrees; ++tree) {
      TreePosition& side = sides_[tree];
      side.half = block_of(operation.count, kTrees, tree);
      if (own_ != 0) side.parent = real(trees.parent(tree, own_));
      for (const int child : trees.children(tree, own_)) side.children.push_back(real(child));
      const int depth = trees.depth(tree, own_);
      const std::size_t chunks = (side.half.length + chunk_ - 1) / chunk_;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const int at = static_cast<int>(chunk) + height;
        if (goes_up()) events_.push_back({at - depth, false, tree, chunk});
        if (goes_down()) events_.push_back({at + depth, true, tree, chunk});
      }
    }
    std::sort(events_.begin(), events_.end(),
              [](const TreeEvent& one, const TreeEvent& other) { return one.key() < other.key(); });
  }

  void write() {
    if (goes_up())
      for (TreePosition& side : sides_)
        for (std::size_t i = 0; i < side.children.size(); ++i)
          side.slots.push_back(schedule_.scratch(kSlots * chunk_));
    std::size_t posted = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      for (; posted < std::min(events_.size(), i + kSlots); ++posted) post(events_[posted]);
      if (events_[i].is_down)
        pass_down(events_[i]);
      else
        pass_up(events_[i]);
    }
    if (operation_.kind == CollectiveKind::kBroadcast && own_ == 0)
      schedule_.copy_when_idle({BufferSpace::kRecv, 0}, {BufferSpace::kSend, 0}, operation_.count);
  }

 private:
  static constexpr std::size_t kSlots = kPostedAhead + 1;

  /// Parent, children and memory of this rank in one of the two trees.
  struct TreePosition {
    BlockRange half{};
    int parent = -1;
    std::vector<int> children;
    std::vector<BufferPosition> slots;  // Slots for chunks, by child.
  };

  [[nodiscard]] int root() const noexcept { return has_root(operation_.kind) ? operation_.root : 0; }
  [[nodiscard]] int real(int number) const noexcept { return wrapped(number + root(), ranks_); }
  [[nodiscard]] bool goes_up() const noexcept { return operation_.kind != CollectiveKind::kBroadcast; }
  [[nodiscard]] bool goes_down() const noexcept { return operation_.kind != CollectiveKind::kReduce; }
  /// Returns true if this rank gets the result. The other ranks of a reduce have only partial sums, which
  /// stay in scratch memory.
  [[nodiscard]] bool has_result() const noexcept { return goes_down() || own_ == 0; }

  [[nodiscard]] std::size_t at(const TreeEvent& event) const noexcept {
    return sides_[event.tree].half.at + event.chunk * chunk_;
  }
  [[nodiscard]] std::size_t length(const TreeEvent& event) const noexcept {
    return std::min(chunk_, sides_[event.tree].half.length - event.chunk * chunk_);
  }
  [[nodiscard]] BufferPosition slot(const TreeEvent& event, std::size_t child) const noexcept {
    return sides_[event.tree].slots[child].plus(event.chunk % kSlots * chunk_);
  }

  void post(const TreeEvent& event) {
    const TreePosition& side = sides_[event.tree];
    if (event.is_down) {
      if (own_ != 0) schedule_.receive(side.parent, {BufferSpace::kRecv, at(event)}, length(event));
      return;
    }
    // Data sent from a slot must have left it.
    if (!has_result() && !side.children.empty() && event.chunk >= kSlots) schedule_.drain();
    for (std::size_t child = 0; child < side.children.size(); ++child)
      schedule_.receive(side.children[child], slot(event, child), length(event));
  }

  void pass_up(const TreeEvent& event) {
    const TreePosition& side = sides_[event.tree];
    BufferPosition partial{BufferSpace::kSend, at(event)};
    for (std::size_t child = 0; child < side.children.size(); ++child) {
      const BufferPosition theirs = slot(event, child);
      const BufferPosition to = has_result() ? BufferPosition{BufferSpace::kRecv, at(event)} : slot(event, 0);
      schedule_.await(++awaited_);
      schedule_.combine(to, partial, theirs, length(event));
      partial = to;
    }
    if (own_ != 0)
      schedule_.send(side.parent, partial, length(event));
    else if (operation_.op == ReduceOp::kAvg)
      schedule_.divide(partial, length(event));
  }

  void pass_down(const TreeEvent& event) {
    const BufferPosition whole{goes_up() || own_ != 0 ? BufferSpace::kRecv : BufferSpace::kSend, at(event)};
    if (own_ != 0) schedule_.await(++awaited_);
    for (const int child : sides_[event.tree].children) schedule_.send(child, whole, length(event));
  }

  const Operation& operation_;
  Schedule& schedule_;
  int ranks_;
  int own_;            // Number of this rank, counted from the root.
  std::size_t chunk_;  // Elements per chunk.
  TreePosition sides_[kTrees];
  std::vector<TreeEvent> events_;
  std::size_t awaited_ = 0;  // Receives waited for so far, in the order of posting.
};

}  // namespace

bool takes_double_binary_tree(const Operation& operation, int /*ranks*/) noexcept {
  return operation.kind == CollectiveKind::kAllreduce || operation.kind == CollectiveKind::kBroadcast ||
         operation.kind == CollectiveKind::kReduce;
}

void plan_double_binary_tree(const Operation& operation, int rank, int ranks, const ChunkTuning& /*chunks*/,
                             Schedule& schedule) {
  TreePlan(operation, rank, ranks, schedule).write();
}

}  // namespace collbench::cpu
