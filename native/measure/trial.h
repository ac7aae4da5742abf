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

/// kIsolated: every operation starts at a common instant; the headline is the maximum over ranks of end minus
/// that instant. On several machines the instant is converted to each clock by the measured offset.
/// kPipelined: `batch` operations back to back are one sample, as in nccl-tests.
enum class TrialKind : std::uint8_t { kIsolated, kPipelined };

struct TrialSpec {
  TrialKind kind = TrialKind::kIsolated;
  std::uint64_t block = 0;  // Controller's number of this block.
  /// Number of the first iteration. Numbers continue from block to block, so that each iteration has its own
  /// data.
  std::uint64_t first_iteration = 0;
  /// Untimed operations at the start; they also give rank 0 its estimate. With 0, one still runs if an
  /// estimate is needed (target_ns > 0 or batch 0).
  std::uint32_t warmup = 1;
  std::uint32_t min_samples = 3;
  std::uint32_t max_samples = 100;
  std::int64_t target_ns =
      50'000'000;           // Aim: samples = clamp(target_ns / estimate, min, max); 0 = exactly max_samples.
  std::uint32_t batch = 1;  // Pipelined trials: operations per sample; 0 = enough for 50 us.
  /// Data of every k-th sample are filled fresh and verified. 0 = only the first and last sample; 1 = also
  /// all warm-ups. Checks are off if the hooks are empty.
  std::uint32_t check_every = 0;
  [[nodiscard]] bool checks_all() const noexcept { return check_every == 1; }
};

/// Values of named parts of operations, in ns or counts, with one value per sample.
using OperationColumns = std::map<std::string, std::vector<std::int64_t>>;

/// Functions of the caller around the timed part. prepare and verify run outside the timed part, in the same
/// iterations on all ranks. Iterations count operations from first_iteration on, so each operation has its
/// own data.
struct TrialHooks {
  /// Fills the input and poisons the output of the operation that will be verified: the `operations`-th from
  /// now. That operation is the last of a run() of `batch`; earlier ones that can be verified are prepared as
  /// well.
  /// @returns false if operations change their own input (in-place reductions). Then none of them can be
  /// verified; one more runs untimed on fresh data and is verified.
  std::function<bool(std::uint64_t iteration, std::uint32_t operations, std::uint32_t batch)> prepare;
  /// Starts that many operations in order. They are complete when `run` returns, or when `wait` returns if it
  /// is set.
  std::function<void(std::uint64_t iteration, std::uint32_t operations)> run;
  std::function<void(std::uint64_t iteration)> verify;  // Compares the output of the prepared operation.
  /// Adds the time stamps and counts that the workload itself took of the last operation, one value per name.
  /// Called only in isolated trials. May be empty.
  std::function<void(OperationColumns& columns)> take_columns;
  /// Waits for the started operations. Empty if they are complete when `run` returns.
  std::function<void()> wait;
  /// If set, isolated trials are timed on the device. Operations are queued behind a gate that opens at the
  /// common start, so the time to queue them is not measured.
  DeviceTimeline* timeline = nullptr;
  /// If set, holds 1 while a sample is timed; concurrent loads read it to count their work. Setting it is one
  /// store, which does not disturb the sample.
  std::atomic<std::uint32_t>* timing = nullptr;
};

/// Samples of one rank. Times are CLOCK_MONOTONIC of the machine, or the root's clock if ranks are on several
/// machines. One offset moves each sample as a whole, so different clock rates do not matter within it.
struct TrialSamples {
  std::vector<std::int64_t> common_start_ns;  // Isolated: the common start; pipelined: equal to start_ns.
  std::vector<std::int64_t> start_ns;         // Time at which this rank really started.
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint8_t> late;  // Isolated: 1 if the start instant had passed before this rank was ready.
  std::uint32_t batch = 1;
  std::vector<std::int64_t> warmup_ns;  // Duration of each warm-up operation, the first call first.
  /// True if start and end are time stamps of the device, placed on the host's clock by the common start. The
  /// time of a sample is then max over ranks of end - max over ranks of start - mark_ns, for `batch`
  /// operations.
  bool device_clock = false;
  std::int64_t mark_ns = 0;  // Device clock: time that the marks add to one sample.
  /// Times and counts of operations' parts by name, one value per sample. Empty if the workload has no parts.
  OperationColumns columns;
  std::vector<std::int64_t> enqueue_ns;  // Device clock: host time to queue one operation, per sample.
  std::int64_t window_ns = 0;            // Isolated: last lead time between announcing a start and the start.
  /// Several machines: the root's clock minus this one's, at the last sample.
  std::optional<std::int64_t> clock_offset_ns;
  /// Largest uncertainty of clock_offset_ns over all samples.
  std::optional<std::int64_t> clock_uncertainty_ns;
  std::int64_t timed_ns = 0;         // Time during which TrialHooks::timing was 1.
  std::int64_t checking_ns = 0;      // Time spent in prepare and verify, between samples.
  std::uint64_t next_iteration = 0;  // Value of first_iteration for the block that continues this one.
};

/// Number of samples and batch size that rank 0 decides for all ranks.
struct TrialCounts {
  std::uint32_t samples = 1;
  std::uint32_t batch = 1;
};
/// Computes the counts from the spec and an estimate. Short operations on the device are measured in batches,
/// because a mark costs microseconds.
/// @param estimate_ns duration of one operation on rank 0, > 0
/// @param queue operations that fit behind a device's gate; 0 = timed by the host
TrialCounts trial_counts(const TrialSpec& spec, std::int64_t estimate_ns, std::uint32_t queue = 0) noexcept;

/// Runs the block.
/// @throws Error(kCancelled) if the shared abort flag is set, Error(kConnectionLost) if another machine is
/// lost; whatever the hooks throw
TrialSamples run_trial(RankGroup& group, const TrialSpec& spec, const TrialHooks& hooks);

}  // namespace collbench
