// Workload of messages between pairs of ranks, i and i + n/2, or from all others to rank 0 (incast). Axes:
// operation, direction (uni, bi; for put and get), window (messages of a unit under way at the same time),
// bytes (of one message). Units:
//   pingpong  a window in each direction: a round trip, two one-way latencies
//   put       a window from i to i + n/2, complete on arrival
//   get       i sends a request for each message, i + n/2 answers with the window
//   exchange  a window in each direction at the same time
//   incast    a window from every other rank to rank 0
#include "workloads/workload.h"

#include <algorithm>
#include <vector>

#include "collectives/pattern.h"
#include "core/error.h"
#include "workloads/batch_check.h"
#include "workloads/buffer_rotation.h"
#include "workloads/p2p/plan.h"

namespace collbench {
namespace p2p {
namespace {

constexpr Ability kNeeds[] = {Ability::kMessages};
constexpr std::string_view kAxes[] = {"operation", "direction", "window", "bytes"};
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;
constexpr std::int64_t kLargestWindow = 1 << 16;
/// Number of buffer positions that are filled with test data before the first block. Successive messages use
/// different positions (BufferRotation); messages at further positions send zeros at first.
constexpr std::uint64_t kFilledPlaces = 64;

p2p::PairOptions shape_of_axes(const Axes& axes) {
  p2p::PairOptions shape;
  shape.kind = static_cast<p2p::PairOperation>(axes.choice("operation", p2p::kKinds));
  shape.both_ways = axes.choice("direction", p2p::kDirections) == 1;
  shape.window = static_cast<std::size_t>(axes.whole("window", 1, kLargestWindow));
  shape.bytes =
      static_cast<std::size_t>(axes.whole("bytes", 0, kMaxBytes / static_cast<std::int64_t>(shape.window)));
  return shape;
}

class PointToPoint final : public Workload {
 public:
  PointToPoint(const WorkloadContext& context, const p2p::PairOptions& shape)
      : engine_(context.engine),
        rank_(context.rank),
        ranks_(context.ranks),
        seed_(context.seed),
        steps_(p2p::plan(shape, rank_, ranks_, engine_.pairs_transfers())),
        lengths_(longest(shape)),
        rotation_(engine_, std::max(lengths_.send, lengths_.recv), 1, widest(shape)),
        units_(context.units_done) {
    engine_.connect_all();
    take_buffers();
    for (std::uint64_t place = 0; place < std::min(rotation_.count(), kFilledPlaces); ++place)
      fill(context.iteration, place);
  }

  void prepare(std::uint64_t iteration, std::uint32_t units, std::uint32_t) override {
    prepare_some(iteration, units, 1);
  }

  bool prepare_more(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch, bool all) override {
    prepare_some(iteration, units, rotation_.verifiable(all ? units : batch, all));
    return true;
  }

  void run(std::uint32_t units) override {
    for (std::uint32_t n = 0; n < units; ++n, ++units_)
      for (const std::vector<MessageBatch>& lots : steps_) {
        messages_.clear();
        for (const MessageBatch& lot : lots)
          for (std::size_t m = 0; m < lot.count; ++m)
            messages_.push_back({lot.direction, lot.peer, at(lot, units_) + m * lot.bytes, lot.bytes,
                                 recv_ + rotation_.at(units_) + lot.landing + m * lot.bytes});
        engine_.transfer(messages_);
      }
  }

  void wait() override { engine_.synchronize(); }

  Verification verify(std::uint64_t iteration) override {
    Verification all;
    for (std::uint32_t n = 0; n < checked_; ++n)
      add_to(all, verify_unit(iteration + n, units_ - checked_ + n), n, checked_);
    static_cast<void>(rotation_.spread(1));
    return all;
  }

  DeviceTimeline* timeline() override { return engine_.timeline(); }

 private:
  void prepare_some(std::uint64_t iteration, std::uint32_t units, std::uint32_t checked) {
    checked_ = checked;
    if (rotation_.spread(checked_)) take_buffers();
    for (std::uint32_t n = 0; n < checked_; ++n) fill(iteration + n, units_ + units - checked_ + n);
  }

  [[nodiscard]] Verification verify_unit(std::uint64_t iteration, std::uint64_t unit) const {
    Verification all;
    for_data([&](const MessageBatch& lot) {
      if (lot.direction == PeerMessage::Direction::kSend) return;
      const Pattern pattern = pattern_of(lot, lot.peer);
      std::byte* data = at(lot, unit);
      const Verification found =
          engine_.verify(pattern, rank_, iteration, {pattern.operation, nullptr, data});
      if (all.wrong == 0 && found.wrong > 0) {
        all = {all.compared, 0, lot.offset + found.first_index, found.wanted, found.got, found.note};
      }
      all.compared += found.compared;
      all.wrong += found.wrong;
    });
    return all;
  }

  void take_buffers() {
    send_ = rotation_.take(0, lengths_.send);
    recv_ = rotation_.take(1, lengths_.recv);
  }

  /// Returns the description of the test data (collectives/pattern.h) in the messages of batch `lot` that
  /// rank `sender` sends: the data that a broadcast with root `sender` would send.
  [[nodiscard]] Pattern pattern_of(const MessageBatch& lot, int sender) const {
    Operation operation;
    operation.kind = CollectiveKind::kBroadcast;
    operation.dtype = DataType::kUint8;
    operation.root = sender;
    operation.in_place = sender == rank_;
    operation.count = lot.count * lot.bytes;
    return {operation, ranks_, seed_};
  }

  void fill(std::uint64_t iteration, std::uint64_t unit) {
    for_data([&](const MessageBatch& lot) {
      const bool sends = lot.direction == PeerMessage::Direction::kSend;
      const Pattern pattern = pattern_of(lot, sends ? rank_ : lot.peer);
      std::byte* data = at(lot, unit);
      engine_.prepare(pattern, rank_, iteration, {pattern.operation, sends ? data : nullptr, data});
    });
  }

  template <class Use>
  void for_data(Use use) const {
    for (const std::vector<MessageBatch>& lots : steps_)
      for (const MessageBatch& lot : lots)
        if (lot.is_data) use(lot);
  }

  [[nodiscard]] std::byte* at(const MessageBatch& lot, std::uint64_t unit) const {
    return (lot.direction == PeerMessage::Direction::kSend ? send_ : recv_) + rotation_.at(unit) + lot.offset;
  }

  /// Returns the length in bytes of the longest buffer (send or receive) that any rank needs per operation.
  [[nodiscard]] std::size_t widest(const p2p::PairOptions& shape) const {
    std::size_t most = 0;
    for (int r = 0; r < ranks_; ++r) {
      const BufferLengths one = p2p::lengths_of(p2p::plan(shape, r, ranks_, engine_.pairs_transfers()));
      most = std::max({most, one.send, one.recv});
    }
    return most;
  }

  /// Returns the lengths in bytes of send and receive buffer for one operation on this rank. If the engine
  /// needs equal buffers on all ranks, these are the largest that any rank needs.
  [[nodiscard]] BufferLengths longest(const p2p::PairOptions& shape) const {
    BufferLengths most = p2p::lengths_of(steps_);
    for (int r = 0; engine_.equal_buffers() && r < ranks_; ++r) {
      const BufferLengths other = p2p::lengths_of(p2p::plan(shape, r, ranks_, engine_.pairs_transfers()));
      most = {std::max(most.send, other.send), std::max(most.recv, other.recv)};
    }
    return most;
  }

  Engine& engine_;
  const int rank_, ranks_;
  const std::uint64_t seed_;
  const p2p::TransferSteps steps_;
  const BufferLengths lengths_;
  BufferRotation rotation_;
  std::byte* send_ = nullptr;  // Address of the first position.
  std::byte* recv_ = nullptr;
  std::uint64_t units_;        // Units run so far; determines the next unit's position.
  std::uint32_t checked_ = 1;  // Number of the last units that have their own data and can be verified.
  std::vector<PeerMessage> messages_;
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  return std::make_unique<PointToPoint>(context, shape_of_axes(axes));
}

std::string words_of(const Axes& axes) {
  const p2p::PairOptions shape = shape_of_axes(axes);
  return std::string(p2p::kKinds[static_cast<int>(shape.kind)]) + " " + format_size(shape.bytes) +
         (shape.window > 1 ? " x " + std::to_string(shape.window) : "");
}

}  // namespace
}  // namespace p2p

WorkloadEntry p2p_workload() { return {"p2p", p2p::kNeeds, p2p::kAxes, p2p::create, p2p::words_of}; }

}  // namespace collbench
