#include "measure/trial.h"

#include <time.h>

#include "core/clock.h"
#include "core/spin.h"
#include "measure/trial_loop.h"

namespace collbench {
namespace {

constexpr std::int64_t kBatchNs = 50'000;
constexpr std::int64_t kLargestBatch = 1'000;
/// Operations on the device that are shorter than this (in ns) are measured in batches, because a time stamp
/// costs about 3 us.
constexpr std::int64_t kGatedBatchNs = 300'000;
constexpr std::uint32_t kGatedBatch = 25;

struct MonotonicClock {
  static std::int64_t now() noexcept { return now_ns(); }
  static void idle(bool give_core_away) noexcept {
    if (give_core_away)
      yield_core();
    else
      cpu_relax();
  }
  static void sleep_until(std::int64_t instant_ns) noexcept {
    const timespec at{instant_ns / 1'000'000'000, instant_ns % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
};

}  // namespace

TrialCounts trial_counts(const TrialSpec& spec, std::int64_t estimate_ns, std::uint32_t queue) noexcept {
  TrialCounts counts;
  const bool batched = spec.kind == TrialKind::kPipelined;
  if (batched && spec.batch == 0)
    counts.batch = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>((kBatchNs + estimate_ns - 1) / estimate_ns, 1, kLargestBatch));
  else if (batched)
    counts.batch = spec.batch;
  else if (queue > 1 && estimate_ns < kGatedBatchNs)
    counts.batch = std::min(kGatedBatch, queue - 1);
  const std::uint32_t most = std::max<std::uint32_t>(1, spec.max_samples);
  const std::uint32_t least = std::clamp<std::uint32_t>(spec.min_samples, 1, most);
  counts.samples = most;
  if (spec.target_ns > 0)
    counts.samples = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(spec.target_ns / (estimate_ns * counts.batch), least, most));
  return counts;
}

TrialSamples run_trial(RankGroup& group, const TrialSpec& spec, const TrialHooks& hooks) {
  MonotonicClock clock;
  return TrialLoop<MonotonicClock>(group, spec, hooks, clock).run();
}

}  // namespace collbench
