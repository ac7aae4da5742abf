// Workload whose unit is one call of a collective. Axes: collective, dtype, op (null if nothing is reduced),
// root (null if there is none), inPlace, bytes (S of the bandwidth formulas).
#include "workloads/workload.h"

#include <algorithm>
#include <vector>

#include "collectives/pattern.h"
#include "workloads/batch_check.h"
#include "workloads/buffer_rotation.h"
#include "workloads/collective/operation.h"

namespace collbench {
namespace collective {
namespace {

constexpr Ability kNeeds[] = {Ability::kCollectives};
constexpr std::string_view kAxes[] = {"collective", "dtype", "op", "root", "inPlace", "bytes"};
/// Number of buffer positions that are filled with test data before the first block; successive operations
/// use different positions. Large messages, whose data rate matters, have no more positions than that. Small
/// messages at further positions send what is in memory, which is zero at first.
constexpr std::uint64_t kFilledPlaces = 64;

class Collective final : public Workload {
 public:
  Collective(const WorkloadContext& context, const Operation& operation)
      : engine_(context.engine),
        operation_(operation),
        pattern_{operation, context.ranks, context.seed},
        rank_(context.rank),
        rotation_(engine_, lengths(rank_).longest(), size_of(operation.dtype), widest()),
        calls_(context.units_done) {
    take_buffers();
    for (std::uint64_t place = 0; place < std::min(rotation_.count(), kFilledPlaces); ++place)
      engine_.prepare(pattern_, rank_, context.iteration, call_at(place));
  }

  void prepare(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch) override {
    prepare_some(iteration, units, batch, 1);
  }

  bool prepare_more(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch, bool all) override {
    const std::uint32_t most = all && !replays(batch) ? units : batch;
    prepare_some(iteration, units, batch, rotation_.verifiable(most, all));
    return checked_ == units || repeatable();
  }

  void run(std::uint32_t units) override {
    if (units == 1) {
      engine_.enqueue(call_at(calls_++));
      return;
    }
    batch_.clear();
    if (engine_.replays_batches()) calls_ = 0;  // A recorded batch contains its positions.
    for (std::uint32_t n = 0; n < units; ++n) batch_.push_back(call_at(calls_++));
    engine_.enqueue_all(batch_);
  }

  void wait() override { engine_.synchronize(); }
  Verification verify(std::uint64_t iteration) override {
    Verification all;
    for (std::uint32_t n = 0; n < checked_; ++n)
      add_to(all, engine_.verify(pattern_, rank_, iteration + n, call_at(calls_ - checked_ + n)), n,
             checked_);
    static_cast<void>(rotation_.spread(1));
    return all;
  }
  DeviceTimeline* timeline() override { return engine_.timeline(); }
  [[nodiscard]] bool repeatable() const override {
    return !(operation_.in_place && reduces(operation_.kind));
  }
  [[nodiscard]] EngineChoice choice() const override {
    return {engine_.algorithm_of(operation_), engine_.protocol_of(operation_)};
  }

 private:
  [[nodiscard]] bool replays(std::uint32_t batch) const { return batch > 1 && engine_.replays_batches(); }

  void prepare_some(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch,
                    std::uint32_t checked) {
    checked_ = checked;
    if (rotation_.spread(checked_)) take_buffers();
    const std::uint64_t first = (replays(batch) ? batch : calls_ + units) - checked_;
    for (std::uint32_t n = 0; n < checked_; ++n)
      engine_.prepare(pattern_, rank_, iteration + n, call_at(first + n));
  }

  [[nodiscard]] BufferBytes lengths(int rank) const {
    return buffer_bytes(operation_, rank, pattern_.ranks, engine_.equal_buffers());
  }

  /// Returns the length in bytes of the longest buffer (send or receive) that any rank needs per operation.
  [[nodiscard]] std::size_t widest() const {
    std::size_t most = 0;
    for (int rank = 0; rank < pattern_.ranks; ++rank) most = std::max(most, lengths(rank).longest());
    return most;
  }

  void take_buffers() {
    const BufferBytes bytes = lengths(rank_);
    const std::size_t offset = in_place_offset(operation_, rank_) * size_of(operation_.dtype);
    if (!operation_.in_place) {
      send_ = rotation_.take(0, bytes.send);
      recv_ = rotation_.take(1, bytes.recv);
    } else if (result_in_send(operation_.kind)) {
      send_ = rotation_.take(0, bytes.longest());
      recv_ = send_ + offset;
    } else {
      recv_ = rotation_.take(1, bytes.longest());
      send_ = recv_ + offset;
    }
  }

  [[nodiscard]] CollectiveCall call_at(std::uint64_t number) const {
    const std::size_t at = rotation_.at(number);
    return {operation_, send_ + at, recv_ + at};
  }

  Engine& engine_;
  const Operation operation_;
  const Pattern pattern_;
  const int rank_;
  BufferRotation rotation_;
  std::byte* send_ = nullptr;  // Address of the first position.
  std::byte* recv_ = nullptr;
  std::uint64_t calls_;        // Calls made so far; determines the next call's position in the buffers.
  std::uint32_t checked_ = 1;  // Number of the last calls that have their own data and can be verified.
  std::vector<CollectiveCall> batch_;
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  return workload_of(context, operation_of(axes, context.ranks));
}

std::string words_of(const Axes& axes) {
  return std::string(kCollectiveKinds[axes.choice("collective", kCollectiveKinds)]) + " " +
         format_size(static_cast<std::size_t>(axes.whole("bytes", 0, kMaxPayloadBytes)));
}

}  // namespace
}  // namespace collective

std::unique_ptr<Workload> workload_of(const WorkloadContext& context, const Operation& operation) {
  return std::make_unique<collective::Collective>(context, operation);
}

WorkloadEntry collective_workload() {
  return {"collective", collective::kNeeds, collective::kAxes, collective::create, collective::words_of};
}

}  // namespace collbench
