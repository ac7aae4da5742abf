#pragma once
// Runs one block of samples of one trial kind on one rank. Prints nothing and names no collective: what is
// timed comes in as functions. All ranks of the assembly call run_trial with equal specs; they agree on
// iteration counts (rank 0's warm-up decides, stats.md and design.md 6.1).
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/assembly.h"
#include "measure/timeline.h"

namespace collbench {

/// isolated: every operation starts at a common instant (time window; on several machines each has it on its
/// own clock, as far as their offset is known); headline is max over ranks of end minus that instant.
/// pipelined: `batch` operations back to back are one sample, as nccl-tests.
enum class TrialKind : std::uint8_t { kIsolated, kPipelined };

struct TrialSpec {
  TrialKind kind = TrialKind::kIsolated;
  std::uint64_t block = 0;            // controller's number of this block
  std::uint64_t first_iteration = 0;  // numbering goes on over blocks, so that data differ in every iteration
  std::uint32_t warmup = 1;  // untimed operations first; they also give rank 0 the estimate. 0 still runs one
                             // where an estimate is needed (target_ns > 0 or batch 0)
  std::uint32_t min_samples = 3;
  std::uint32_t max_samples = 100;
  std::int64_t target_ns =
      50'000'000;                 // samples = clamp(target_ns / estimate, min, max); 0 = max_samples exactly
  std::uint32_t batch = 1;        // pipelined: operations per sample; 0 = enough for 50 us
  std::uint32_t check_every = 0;  // data of every k-th sample is filled fresh and verified; 0 = first and
                                  // last only; 1 = warm-ups, too; checks off = hooks empty
  [[nodiscard]] bool checks_all() const noexcept { return check_every == 1; }
};

/// Values of named parts of operations, ns or counts, one a sample.
using Columns = std::map<std::string, std::vector<std::int64_t>>;

/// What the caller does around the timed part; prepare and verify are called outside the clock, on the same
/// iterations by all ranks. Iterations count operations from first_iteration on, so that each has data of its
/// own.
struct TrialHooks {
  /// Fills input, poisons output of the operation that will be verified: the `operations`-th from now, the
  /// last of a run() of `batch`, and of those before it that can be verified as well. @returns false where
  /// operations change their own input (in-place reductions), so that none can be: then one more runs,
  /// untimed, on fresh data, and that is verified
  std::function<bool(std::uint64_t iteration, std::uint32_t operations, std::uint32_t batch)> prepare;
  /// Starts that many operations in order; complete when it returns, or when `wait` does where that is given.
  std::function<void(std::uint64_t iteration, std::uint32_t operations)> run;
  std::function<void(std::uint64_t iteration)> verify;  // compares the output of what was prepared
  /// Adds what the workload itself stamped and counted of the operation that has just ended, one value a
  /// name. Isolated samples alone. May be empty.
  std::function<void(Columns& columns)> take_columns;
  std::function<void()> wait;  // empty: operations are complete when run returns
  /// Where given, isolated trials are timed on the device: operations are queued behind a gate that opens at
  /// the common start, so no host launch is in the figure.
  DeviceTimeline* timeline = nullptr;
  /// Not null: 1 while a sample is being timed, for those who count what works beside it. One store, so that
  /// the sample does not feel it.
  std::atomic<std::uint32_t>* timing = nullptr;
};

/// Times are CLOCK_MONOTONIC of the machine; with ranks on several machines, of the root's: each sample as a
/// whole is moved over, so that within it the rates of the clocks do not matter.
struct TrialSamples {
  std::vector<std::int64_t> common_start_ns;  // isolated: the window start; pipelined: equal to start_ns
  std::vector<std::int64_t> start_ns;         // this rank really began
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint8_t> late;  // isolated: 1 if this rank passed the start instant before it was ready
  std::uint32_t batch = 1;
  std::vector<std::int64_t> warmup_ns;  // duration of each warm-up operation, first call first
  bool device_clock = false;            // start and end are marks of the device, placed on the clock by the
                              // common start; a sample's time is max over ranks of end - max over ranks of
                              // start - mark_ns, for `batch` operations
  std::int64_t mark_ns = 0;  // device clock: what the marks of one sample add to it
  Columns columns;           // of workloads whose operations have parts, by name, one value a sample
  std::vector<std::int64_t> enqueue_ns;         // device clock: host time to queue one operation, per sample
  std::int64_t window_ns = 0;                   // isolated: last lead time between announcement and start
  std::optional<std::int64_t> clock_offset_ns;  // several machines: root's clock minus this one's at the
                                                // last sample
  std::optional<std::int64_t> clock_uncertainty_ns;  // widest of all samples, either way
  std::int64_t timed_ns = 0;                         // in which TrialHooks::timing was 1
  std::int64_t checking_ns = 0;                      // spent in prepare and verify, between the samples
  std::uint64_t next_iteration = 0;                  // first_iteration of a block that goes on from here
};

/// Samples and batch that rank 0 settles for all. Pure.
struct TrialCounts {
  std::uint32_t samples = 1;
  std::uint32_t batch = 1;
};
/// @param estimate_ns duration of one operation on rank 0, > 0
/// @param queue operations that fit behind a device's gate; 0 = timed by the host. On the device, short
///        operations share a pair of marks (batch), because a mark costs microseconds
TrialCounts trial_counts(const TrialSpec& spec, std::int64_t estimate_ns, std::uint32_t queue = 0) noexcept;

/// @throws Error(kCancelled) when the board's abort is raised, Error(kConnectionLost) when another machine is
/// lost; whatever the hooks throw
TrialSamples run_trial(Assembly& all, const TrialSpec& spec, const TrialHooks& hooks);

}  // namespace collbench
