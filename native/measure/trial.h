#pragma once
// Runs one block of samples of one trial kind on one rank. Prints nothing and names no collective: the caller
// passes the timed operations as functions. All ranks of the group call run_trial with equal specs. They
// agree on iteration counts: rank 0's warm-up decides.
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/rank_group.h"
#include "measure/timeline.h"

namespace collbench {

/// Method by which a block is timed. kIsolated: all ranks start every operation at a common instant; its time
/// is the latest end of any rank minus that instant. With several machines the instant is converted to each
/// machine's clock. kPipelined: one sample is `batch` operations back to back, as in nccl-tests.
enum class TrialKind : std::uint8_t { kIsolated, kPipelined };

struct TrialSpec {
  TrialKind kind = TrialKind::kIsolated;
  std::uint64_t block = 0;  // Controller's number of this block.
  /// Number of the first operation (iteration) of this block. Numbers continue over all blocks, so that
  /// each operation has its own test data.
  std::uint64_t first_iteration = 0;
  /// Number of warm-up operations, which run before the samples. The fastest one of rank 0 is the estimate of
  /// an operation's duration. With 0, one still runs if an estimate is needed (target_ns > 0 or batch 0).
  std::uint32_t warmup = 1;
  std::uint32_t min_samples = 3;
  std::uint32_t max_samples = 100;
  std::int64_t target_ns =
      50'000'000;           // Samples: clamp(target_ns / estimate / batch, min, max); 0 = max_samples.
  std::uint32_t batch = 1;  // Pipelined trials: operations per sample; 0 = enough for 50 us.
  /// The first, the last and every k-th sample get fresh input data, and their results are verified. 0 = only
  /// the first and the last; 1 = every sample and all warm-up operations. Samples that a device times are
  /// counted by rounds (queued together). Nothing is verified if TrialHooks::verify is empty.
  std::uint32_t check_every = 0;
  [[nodiscard]] bool checks_all() const noexcept { return check_every == 1; }
};

/// Times in ns, or counts, of the parts of an operation, as a workload records them: for each part, such as
/// "doorbells", a list with one value per sample.
using OperationColumns = std::map<std::string, std::vector<std::int64_t>>;

/// Functions of the caller around the timed part. prepare and verify run outside of the timed part, in the
/// same iterations on all ranks. Iterations are numbered from first_iteration on, so that each operation has
/// its own data.
struct TrialHooks {
  /// Called before a sample that will be verified. Prepares the last of the next `operations` operations:
  /// fills its input, and overwrites its output with values that no result has. Operations before it are
  /// prepared in the same way if they have memory of their own.
  /// @param batch number of operations that one call of run() starts
  /// @returns false if operations change their own input (in-place reductions). Then none of them can be
  /// verified; instead, one more operation runs untimed on fresh data and is verified.
  std::function<bool(std::uint64_t iteration, std::uint32_t operations, std::uint32_t batch)> prepare;
  /// Starts `operations` operations in order. They are complete when `run` returns, or if `wait` is set, when
  /// `wait` returns.
  std::function<void(std::uint64_t iteration, std::uint32_t operations)> run;
  std::function<void(std::uint64_t iteration)> verify;  // Compares the output of the prepared operation.
  /// Adds times and counts of the parts of the last operation, as the workload recorded them; one value per
  /// name. Called only in isolated trials that the host times. May be empty.
  std::function<void(OperationColumns& columns)> take_columns;
  /// Waits until the started operations are complete. Empty if they are complete when `run` returns.
  std::function<void()> wait;
  /// Object that takes time stamps on the device; null = samples are timed with the host's clock. If set,
  /// isolated trials queue operations while the device waits (gate) for the common start. So the time to
  /// queue them is not measured.
  DeviceTimeline* timeline = nullptr;
  /// Flag that is 1 while a sample is timed; null = none. Concurrent loads read it to count their work.
  /// Setting it is one store, which does not disturb the sample.
  std::atomic<std::uint32_t>* timing = nullptr;
  /// Returns by how many ns after the common start this rank starts an isolated operation; empty = no rank is
  /// late. `skew_ns` is the delay of the last rank, the same in every operation (measure/arrival_skew.h).
  std::function<std::int64_t(std::uint64_t iteration)> delay_ns = nullptr;
  std::int64_t skew_ns = 0;
};

/// Samples of one rank. Times are in ns of the machine's CLOCK_MONOTONIC, or of the root's clock if ranks are
/// on several machines. Start and end of a sample are converted with the same offset, so a difference in
/// clock rates does not change the duration.
struct TrialSamples {
  /// Isolated: the instant at which the last rank is due, which is the common start if no rank is delayed.
  /// Pipelined, and if the device times the samples: equal to start_ns.
  std::vector<std::int64_t> common_start_ns;
  std::vector<std::int64_t> start_ns;  // Time at which this rank really started.
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint8_t> late;  // Isolated: 1 if this rank's start had passed before the rank was ready.
  std::uint32_t batch = 1;
  std::vector<std::int64_t> warmup_ns;  // Duration of each warm-up operation, the first call first.
  /// True if start and end are time stamps of the device, converted to the host's clock by the common start.
  /// The time of a sample of `batch` operations is then: latest end of any rank - latest start of any rank -
  /// mark_ns.
  bool device_clock = false;
  std::int64_t mark_ns = 0;  // Device clock: time that the marks add to one sample.
  /// Times and counts of parts of the operations by name, one value per sample. Empty if the workload has no
  /// parts.
  OperationColumns columns;
  std::vector<std::int64_t> enqueue_ns;  // Device clock: host time to queue one operation, per sample.
  std::int64_t window_ns = 0;            // Isolated: last lead time between announcing a start and the start.
  /// Time in ns by which the root's clock was ahead of this machine's at the last sample; absent if there is
  /// only one machine.
  std::optional<std::int64_t> clock_offset_ns;
  /// Largest possible error of clock_offset_ns in any sample of the block, in ns; absent if there is only one
  /// machine.
  std::optional<std::int64_t> clock_uncertainty_ns;
  std::int64_t timed_ns = 0;         // Time during which TrialHooks::timing was 1.
  std::int64_t checking_ns = 0;      // Time spent in prepare and verify, between samples.
  std::uint64_t next_iteration = 0;  // Value of first_iteration for the block that continues this one.
};

/// Number of samples of a block, and number of operations that are timed together as one sample (batch). Rank
/// 0 decides both for all ranks.
struct TrialCounts {
  std::uint32_t samples = 1;
  std::uint32_t batch = 1;
};
/// Computes how many samples to take and how many operations each sample has (batch). Operations under 300 us
/// that the device times are measured in batches of up to 25, because a time stamp costs microseconds. Other
/// isolated trials have batch 1.
/// @param estimate_ns duration of one operation on rank 0, > 0
/// @param queue number of operations that fit behind the device's gate; 0 or 1 = no batches for the device
TrialCounts trial_counts(const TrialSpec& spec, std::int64_t estimate_ns, std::uint32_t queue = 0) noexcept;

/// Measures one block on this rank: warm-up, then timed and verified samples. All ranks of the group must
/// call it together. Isolated trials timed by the host keep late samples and take further ones, so a block
/// may have more than max_samples.
/// @throws Error(kCancelled) if the shared abort flag is set; Error(kConnectionLost) if the connection to
/// another machine is lost; errors of the hooks
TrialSamples run_trial(RankGroup& group, const TrialSpec& spec, const TrialHooks& hooks);

}  // namespace collbench
