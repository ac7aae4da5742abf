// Workload of operations that a rank's device starts by itself, from rank i to i + n/2. Axes: operation,
// mover (what moves the bytes of puts and gets), scope (who calls: thread, warp, block), callers (how many at
// the same time), window (operations of a caller between two waits), bytes (of one operation). A unit is one
// launch in which every caller does repeats_of() operations:
//   device-put, device-get  copies to or from the peer's memory
//   device-p, device-g      single words of 8 bytes, stored or loaded one by one
//   device-fetch-add        adds 1 to a word of the peer
//   device-signal           a put with signal in each direction: a round trip, two one-way latencies;
//                           with 0 bytes only the signal
#include "workloads/workload.h"

#include <algorithm>
#include <vector>

#include "collectives/pattern.h"
#include "core/error.h"
#include "engines/engine.h"

namespace collbench {
namespace onesided {
namespace {

constexpr Ability kNeeds[] = {Ability::kOneSided};
constexpr std::string_view kAxes[] = {"operation", "mover", "scope", "callers", "window", "bytes"};
constexpr std::string_view kOperations[] = {"device-put", "device-get",       "device-p",
                                            "device-g",   "device-fetch-add", "device-signal"};
constexpr std::string_view kMovers[] = {"nvshmem", "vector", "bulk", "copy-engine"};
constexpr std::string_view kScopes[] = {"thread", "warp", "block"};
constexpr std::int64_t kMaxCallers = 1 << 16;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMaxWindow = 1 << 16;

using Action = OneSided::Action;
using CopyMethod = OneSided::CopyMethod;

/// Returns how many operations each caller (thread, warp or block) does in one kernel launch; repeatsOf() in
/// results/schema/workloads/onesided.ts computes the same. They are so many, about a millisecond in total,
/// that launching the kernel and notifying the peer take at most a hundredth of that time. One thread, warp
/// or block is slower than a whole GPU by about the factor in kSlower. For the mover copy-engine it is always
/// the lowest number, because the host starts each copy.
int repeats_of(const OneSided& work) {
  constexpr int kLeast = 4, kMost = 256;
  constexpr std::size_t kEnoughBytes = std::size_t{256} << 20;
  constexpr std::size_t kSlower[] = {2048, 128, 16};  // Factors by scope: thread, warp, block.
  const std::size_t weight =
      work.bytes * std::max(static_cast<std::size_t>(work.callers), kSlower[static_cast<int>(work.scope)]);
  int repeats = work.mover == CopyMethod::kCopyEngine ? kLeast : kMost;
  while (repeats > kLeast && static_cast<std::size_t>(repeats) * weight > kEnoughBytes) repeats /= 2;
  return repeats;
}

OneSided work_of(const Axes& axes) {
  OneSided work;
  work.kind = static_cast<Action>(axes.choice("operation", kOperations));
  work.mover = static_cast<CopyMethod>(axes.choice("mover", kMovers));
  work.scope = static_cast<OneSided::Scope>(axes.choice("scope", kScopes));
  work.callers = static_cast<int>(axes.whole("callers", 1, kMaxCallers));
  work.window = static_cast<int>(axes.whole("window", 1, kMaxWindow));
  work.bytes = static_cast<std::size_t>(axes.whole("bytes", 0, kMaxBytes / work.callers));
  const std::string name(kOperations[static_cast<int>(work.kind)]);
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::kInvalidArgument, name + " takes " + why);
  };
  const std::string not_these = ", not " + std::to_string(work.bytes);
  if ((work.kind == Action::kStore || work.kind == Action::kLoad) && work.bytes % 8 != 0)
    refuse("whole words of 8 bytes" + not_these);
  if (work.kind == Action::kFetchAdd && work.bytes != 8) refuse("8 bytes" + not_these);
  if (work.mover != CopyMethod::kLibrary && work.kind != Action::kPut && work.kind != Action::kGet)
    refuse("mover nvshmem alone");
  if (work.mover > CopyMethod::kVector && work.scope != OneSided::Scope::kBlock)
    refuse("mover " + std::string(kMovers[static_cast<int>(work.mover)]) + " with scope block alone");
  work.repeats = repeats_of(work);
  return work;
}

class OneSidedWork final : public Workload {
 public:
  OneSidedWork(const WorkloadContext& context, const OneSided& work)
      : engine_(context.engine),
        rank_(context.rank),
        ranks_(context.ranks),
        seed_(context.seed),
        work_(work),
        bytes_(work.bytes * static_cast<std::size_t>(work.callers)) {
    if (ranks_ < 2 || ranks_ % 2 != 0)
      throw Error(ErrorCode::kInvalidArgument,
                  "one-sided operations need pairs of ranks, not " + std::to_string(ranks_));
    work_.starts = rank_ < ranks_ / 2;
    work_.peer = work_.starts ? rank_ + ranks_ / 2 : rank_ - ranks_ / 2;
    send_ = static_cast<std::byte*>(engine_.buffer(0, bytes_));
    recv_ = static_cast<std::byte*>(engine_.buffer(1, bytes_));
    const bool fetches = work_.kind == Action::kGet || work_.kind == Action::kLoad;
    work_.local = fetches ? recv_ : send_;
    work_.remote = fetches ? send_ : recv_;
    fill(context.iteration);
  }

  void prepare(std::uint64_t iteration, std::uint32_t, std::uint32_t) override { fill(iteration); }

  void run(std::uint32_t units) override {
    const bool answers = work_.kind == Action::kPutSignal;
    for (std::uint32_t n = 0; n < units && (work_.starts || answers) && (bytes_ > 0 || answers); ++n)
      engine_.one_sided(work_);
    // The rank whose memory is accessed starts nothing. A notification after the last operation tells it that
    // the operations are over.
    if (!answers) engine_.one_sided(word_of_the_end());
    units_ += units;
  }

  void wait() override { engine_.synchronize(); }

  Verification verify(std::uint64_t iteration) override {
    if (bytes_ == 0 || !has_result()) return {};
    if (work_.kind == Action::kFetchAdd) return verify_sums();
    const Pattern pattern = pattern_of(work_.peer);
    return engine_.verify(pattern, rank_, iteration, {pattern.operation, nullptr, recv_});
  }

  DeviceTimeline* timeline() override { return engine_.timeline(); }
  /// Returns true: results can be verified after any number of operations, because sums of fetch-add go on,
  /// and other operations do not change their input.
  [[nodiscard]] bool repeatable() const override { return true; }
  [[nodiscard]] EngineChoice choice() const override { return {"", engine_.point_of(work_)}; }

 private:
  /// Returns true if data arrive in this rank's receive buffer.
  [[nodiscard]] bool has_result() const {
    if (work_.kind == Action::kPutSignal) return true;
    const bool fetches = work_.kind == Action::kGet || work_.kind == Action::kLoad;
    return fetches == work_.starts;
  }

  [[nodiscard]] OneSided word_of_the_end() const {
    OneSided work;
    work.kind = work_.starts ? Action::kNotify : Action::kAwait;
    work.peer = work_.peer;
    // The buffers are not used, but must be valid.
    work.local = send_;
    work.remote = recv_;
    return work;
  }

  /// Returns the description of the test data (collectives/pattern.h) in the memory of rank `sender`: the
  /// data that a broadcast with this root would send.
  [[nodiscard]] Pattern pattern_of(int sender) const {
    Operation operation;
    operation.kind = CollectiveKind::kBroadcast;
    operation.dtype = DataType::kUint8;
    operation.root = sender;
    operation.in_place = sender == rank_;
    operation.count = bytes_;
    return {operation, ranks_, seed_};
  }

  void fill(std::uint64_t iteration) {
    units_ = 0;
    if (bytes_ == 0) return;
    if (work_.kind == Action::kFetchAdd) {
      const std::vector<std::byte> zeros(bytes_);
      engine_.upload(recv_, zeros.data(), bytes_);
      return;
    }
    const Pattern own = pattern_of(rank_), others = pattern_of(work_.peer);
    engine_.prepare(own, rank_, iteration, {own.operation, send_, send_});
    engine_.prepare(others, rank_, iteration, {others.operation, nullptr, recv_});
  }

  /// Verifies the sums of fetch-add: every caller must have added 1 to its own word once per operation.
  Verification verify_sums() {
    std::vector<std::uint64_t> sums(static_cast<std::size_t>(work_.callers));
    engine_.download(sums.data(), recv_, bytes_);
    const std::uint64_t wanted = units_ * static_cast<std::uint64_t>(work_.repeats);
    Verification found;
    found.compared = sums.size();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (sums[i] == wanted) continue;
      if (found.wrong++ > 0) continue;
      found.first_index = i;
      found.wanted = std::to_string(wanted);
      found.got = std::to_string(sums[i]);
    }
    return found;
  }

  Engine& engine_;
  const int rank_, ranks_;
  const std::uint64_t seed_;
  OneSided work_;
  const std::size_t bytes_;  // Bytes of all callers together.
  std::byte* send_ = nullptr;
  std::byte* recv_ = nullptr;
  std::uint64_t units_ = 0;  // Units since the buffers were filled.
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  return std::make_unique<OneSidedWork>(context, work_of(axes));
}

std::string words_of(const Axes& axes) {
  const OneSided work = work_of(axes);
  return std::string(kOperations[static_cast<int>(work.kind)]) + " " + format_size(work.bytes) + " by " +
         std::to_string(work.callers) + " x " + std::string(kScopes[static_cast<int>(work.scope)]);
}

}  // namespace
}  // namespace onesided

WorkloadEntry onesided_workload() {
  return {"onesided", onesided::kNeeds, onesided::kAxes, onesided::create, onesided::words_of};
}

}  // namespace collbench
