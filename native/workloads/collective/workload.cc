// One call of a collective is the unit of work. Axes: collective, dtype, op (null where nothing is reduced),
// root (null where there is none), inPlace, bytes (S of the bandwidth formulas).
#include "workloads/workload.h"

#include <algorithm>
#include <vector>

#include "collectives/pattern.h"
#include "core/error.h"
#include "workloads/places.h"

namespace collbench {
namespace {

constexpr Ability kNeeds[] = {Ability::kCollectives};
constexpr std::string_view kAxes[] = {"collective", "dtype", "op", "root", "inPlace", "bytes"};
constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;

/// Places filled before the first block: all of them where data rates matter; small messages beyond them move
/// what was there before (new memory holds zeros).
constexpr std::uint64_t kFilledPlaces = 64;

Operation operation_of(const Axes& axes, int ranks) {
  Operation operation;
  operation.kind = static_cast<CollectiveKind>(axes.choice("collective", kCollectiveKinds));
  operation.dtype = static_cast<DataType>(axes.choice("dtype", kDataTypeNames));
  if (reduces(operation.kind) || !axes.is_null("op"))
    operation.op = static_cast<ReduceOp>(axes.choice("op", kReduceOps));
  if (!axes.is_null("root")) operation.root = static_cast<int>(axes.whole("root", 0, 1 << 20));
  operation.in_place = axes.flag("inPlace");
  const auto bytes = static_cast<std::size_t>(axes.whole("bytes", 0, kMostBytes));
  operation.count = count_of(operation, bytes, ranks);
  if (operation.root >= ranks)
    throw Error(ErrorCode::kInvalidArgument, "root " + std::to_string(operation.root) +
                                                 " is no rank; there are 0 to " + std::to_string(ranks - 1));
  if (payload_bytes(operation, ranks) != bytes)
    throw Error(ErrorCode::kInvalidArgument, std::to_string(bytes) + " bytes are no whole number of " +
                                                 std::string(name_of(operation.dtype)) + " on each of " +
                                                 std::to_string(ranks) + " ranks");
  check_runnable(operation, ranks);
  return operation;
}

class Collective final : public Workload {
 public:
  Collective(const WorkloadContext& context, const Operation& operation)
      : engine_(context.engine),
        operation_(operation),
        pattern_{operation, context.ranks, context.seed},
        rank_(context.rank),
        places_(engine_, longest_buffer(), size_of(operation.dtype)),
        calls_(context.units_done) {
    take_buffers();
    for (std::uint64_t place = 0; place < std::min(places_.count(), kFilledPlaces); ++place)
      engine_.prepare(pattern_, rank_, context.iteration, call_at(place));
  }

  void prepare(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch) override {
    const bool replays = batch > 1 && engine_.replays_batches();
    engine_.prepare(pattern_, rank_, iteration, call_at(replays ? batch - 1 : calls_ + units - 1));
  }

  void run(std::uint32_t units) override {
    if (units == 1) {
      engine_.enqueue(call_at(calls_++));
      return;
    }
    batch_.clear();
    if (engine_.replays_batches()) calls_ = 0;  // a recorded batch has its places in it
    for (std::uint32_t n = 0; n < units; ++n) batch_.push_back(call_at(calls_++));
    engine_.enqueue_all(batch_);
  }

  void wait() override { engine_.synchronize(); }
  Verification verify(std::uint64_t iteration) override {
    return engine_.verify(pattern_, rank_, iteration, call_at(calls_ - 1));
  }
  DeviceTimeline* timeline() override { return engine_.timeline(); }
  [[nodiscard]] bool repeatable() const override {
    return !(operation_.in_place && reduces(operation_.kind));
  }
  [[nodiscard]] Choice choice() const override {
    return {engine_.algorithm_of(operation_), engine_.protocol_of(operation_)};
  }

 private:
  struct Lengths {
    std::size_t send, recv;  // bytes
  };
  [[nodiscard]] Lengths lengths_of(int rank) const {
    const BufferShape shape = shape_of(operation_, rank, pattern_.ranks);
    const std::size_t element = size_of(operation_.dtype);
    return {shape.send_elements * element, shape.recv_elements * element};
  }
  /// What this rank needs, or the neediest one where the engine wants all ranks' buffers alike.
  [[nodiscard]] Lengths lengths() const {
    Lengths most = lengths_of(rank_);
    for (int r = 0; engine_.equal_buffers() && r < pattern_.ranks; ++r) {
      most.send = std::max(most.send, lengths_of(r).send);
      most.recv = std::max(most.recv, lengths_of(r).recv);
    }
    return most;
  }
  [[nodiscard]] std::size_t longest_buffer() const {
    const Lengths bytes = lengths();
    return std::max(bytes.send, bytes.recv);
  }

  void take_buffers() {
    const Lengths bytes = lengths();
    const std::size_t offset = in_place_offset(operation_, rank_) * size_of(operation_.dtype);
    if (!operation_.in_place) {
      send_ = places_.take(0, bytes.send);
      recv_ = places_.take(1, bytes.recv);
    } else if (result_in_send(operation_.kind)) {
      send_ = places_.take(0, longest_buffer());
      recv_ = send_ + offset;
    } else {
      recv_ = places_.take(1, longest_buffer());
      send_ = recv_ + offset;
    }
  }

  [[nodiscard]] Call call_at(std::uint64_t number) const {
    const std::size_t at = places_.at(number);
    return {operation_, send_ + at, recv_ + at};
  }

  Engine& engine_;
  const Operation operation_;
  const Pattern pattern_;
  const int rank_;
  Places places_;
  std::byte* send_ = nullptr;  // of the first place
  std::byte* recv_ = nullptr;
  std::uint64_t calls_;  // made so far: the next one's place in the buffers
  std::vector<Call> batch_;
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  return std::make_unique<Collective>(context, operation_of(axes, context.ranks));
}

std::string words_of(const Axes& axes) {
  return std::string(kCollectiveKinds[axes.choice("collective", kCollectiveKinds)]) + " " +
         size_in_words(static_cast<std::size_t>(axes.whole("bytes", 0, kMostBytes)));
}

}  // namespace

WorkloadEntry collective_workload() { return {"collective", kNeeds, kAxes, create, words_of}; }

}  // namespace collbench
