#pragma once
// The loop behind run_trial, with the clock as a template parameter. Tests pass a clock that they advance by
// hand and check exact nanoseconds.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/error.h"
#include "measure/generated/lateness.h"
#include "measure/rank_group.h"
#include "measure/trial.h"

namespace collbench {

/// Measures one block. Clock is a class with these members: `std::int64_t now()` in ns, monotonic and common
/// to all ranks of the machine; `void idle(bool give_core_away)`, called between polls; `void
/// sleep_until(std::int64_t)`, which may return early.
template <class Clock>
class TrialLoop {
 public:
  TrialLoop(RankGroup& group, const TrialSpec& spec, const TrialHooks& hooks, Clock& clock)
      : group_(group),
        shared_state_(group.shared_state()),
        progress_(*shared_state_.progress(group.index())),
        spec_(spec),
        hooks_(hooks),
        clock_(clock) {}

  TrialSamples run() {
    progress_.block.store(spec_.block, std::memory_order_relaxed);
    done_ = 0;
    iteration_ = spec_.first_iteration;
    group_.synchronise();
    if (spec_.kind == TrialKind::kIsolated) measure_barrier();
    warm_up();
    const TrialCounts counts = agree_on_counts();
    result_.batch = counts.batch;
    for (auto* column : {&result_.common_start_ns, &result_.start_ns, &result_.end_ns})
      column->reserve(counts.samples);
    result_.late.reserve(counts.samples);
    if (is_gated() || (hooks_.wait && counts.batch > 1)) run_first_batch(counts.batch);
    if (is_gated()) {
      gated_samples(counts);
    } else {
      for (std::uint32_t s = 0; s < counts.samples; ++s) sample(counts, is_check_due(s, counts.samples));
      if (spec_.kind == TrialKind::kIsolated) replace_late_samples(counts);
    }
    set_phase(RankPhase::kIdle);
    result_.window_ns = announced_window_ns_;
    result_.next_iteration = iteration_;
    return std::move(result_);
  }

 private:
  static constexpr int kBarrierProbes = 9;
  static constexpr std::int64_t kShortestWindowNs = 2'000;
  static constexpr std::int64_t kLongestWindowNs = 20'000'000;
  /// Largest credible time between now and an announced start. Starts are announced at most 20 ms ahead; the
  /// rest allows for the error of another machine's clock. A start further ahead is an error, because waiting
  /// for it could take for ever.
  static constexpr std::int64_t kFarthestStartNs = 1'000'000'000;
  /// Ranks that sleep until a start wake up this long before it. It suffices for all ranks that share a core
  /// to run once.
  static constexpr std::int64_t kWakingNs = 200'000;
  /// Longest time in ns for which a rank that starts late on purpose (TrialHooks::delay_ns) polls for its
  /// start. If its delay is longer, it sleeps until shortly before.
  static constexpr std::int64_t kLongestPollNs = 1'000'000;
  /// Late samples are replaced by at most this number of samples plus the number of samples in the block. The
  /// constant matters only for very short blocks.
  static constexpr std::uint32_t kExtraAttempts = 16;

  void set_phase(RankPhase phase) noexcept {
    progress_.phase.store(phase, std::memory_order_relaxed);
    progress_.changed_ns.store(clock_.now(), std::memory_order_relaxed);
  }
  void stop_if_aborted() const {
    if (shared_state_.abort.load(std::memory_order_relaxed) != 0)
      throw Error(ErrorCode::kCancelled, "stopped while measuring: the run is being ended");
  }
  [[nodiscard]] bool is_gated() const noexcept {
    return spec_.kind == TrialKind::kIsolated && hooks_.timeline != nullptr;
  }
  void run_operations(std::uint32_t operations) {
    hooks_.run(iteration_, operations);
    if (hooks_.wait) hooks_.wait();
    count_completed(operations);
  }
  void count_completed(std::uint32_t operations) noexcept {
    done_ += operations;
    progress_.iterations_done.store(done_, std::memory_order_relaxed);
  }
  /// Runs `operations` operations. An engine that queues gets them as one batch. Otherwise they run one by
  /// one, so that progress is visible between them.
  void run_batch(std::uint32_t operations) {
    if (hooks_.wait) return run_operations(operations);
    for (std::uint32_t b = 0; b < operations; ++b) run_operations(1);
  }
  void set_timing(bool on) noexcept {
    if (hooks_.timing != nullptr) hooks_.timing->store(on ? 1 : 0, std::memory_order_relaxed);
  }
  void prepare(std::uint32_t operations, std::uint32_t batch) {
    if (!hooks_.prepare) return;
    set_phase(RankPhase::kFilling);
    const std::int64_t begin = clock_.now();
    stays_verifiable_ = hooks_.prepare(iteration_, operations, batch);
    result_.checking_ns += clock_.now() - begin;
  }

  /// Chooses the first lead: the time between the announcement of a start and the start. It must be longer
  /// than the last rank needs to leave the barrier and see the announcement. Four times the median duration
  /// of nine barriers, from 2 us to 20 ms, is a safe guess; window_start() doubles it if ranks are late.
  void measure_barrier() {
    std::int64_t took[kBarrierProbes];
    group_.barrier();
    for (auto& t : took) {
      const std::int64_t begin = clock_.now();
      group_.barrier();
      t = clock_.now() - begin;
    }
    std::nth_element(took, took + kBarrierProbes / 2, took + kBarrierProbes);
    lead_ns_ = std::clamp(4 * took[kBarrierProbes / 2], kShortestWindowNs, kLongestWindowNs);
    late_seen_ = late_before_ = group_.late_ranks();
  }

  void warm_up() {
    const bool needs_estimate = spec_.target_ns > 0 || spec_.batch == 0;
    const std::uint32_t n = spec_.warmup == 0 && needs_estimate ? 1 : spec_.warmup;
    for (std::uint32_t w = 0; w < n; ++w, ++iteration_) {
      stop_if_aborted();
      if (w == 0 || spec_.checks_all()) prepare(1, 1);
      set_phase(RankPhase::kWaitingStart);
      group_.barrier();
      set_phase(RankPhase::kRunning);
      const std::int64_t begin = clock_.now();
      run_operations(1);
      result_.warmup_ns.push_back(clock_.now() - begin);
      if (spec_.checks_all() && hooks_.verify) verify();
    }
  }

  TrialCounts agree_on_counts() {
    if (group_.decides()) {
      // The fastest warm-up counts, because the first call also pays for page faults and registrations.
      const auto& took = result_.warmup_ns;
      const std::int64_t estimate = took.empty() ? 1 : *std::min_element(took.begin(), took.end());
      const std::uint32_t queue = is_gated() ? hooks_.timeline->capacity() : 0;
      // A sample also takes as long as the last rank is late.
      const TrialCounts counts =
          trial_counts(spec_, std::max<std::int64_t>(1, estimate + hooks_.skew_ns), queue);
      group_.decide((static_cast<std::int64_t>(counts.batch) << 32) | counts.samples);
    }
    starts_seen_ = shared_state_.starts.load(std::memory_order_relaxed);
    group_.barrier();
    const std::int64_t decision = group_.decision();
    return {static_cast<std::uint32_t>(decision), static_cast<std::uint32_t>(decision >> 32)};
  }

  [[nodiscard]] bool is_check_due(std::uint32_t s, std::uint32_t samples) const noexcept {
    if (s == 0 || s + 1 == samples) return true;
    return spec_.check_every != 0 && s % spec_.check_every == 0;
  }

  /// Takes further samples until enough have started in time on all ranks: min_samples, or counts.samples if
  /// that is less. Gives up after counts.samples + kExtraAttempts further ones. So a busy machine gives a
  /// result, too. Late samples are recorded but not used. Rank 0 counts and decides for all ranks.
  void replace_late_samples(const TrialCounts& counts) {
    const std::uint32_t wanted = std::min(counts.samples, std::max<std::uint32_t>(1, spec_.min_samples));
    for (std::uint32_t extra = 0; extra < counts.samples + kExtraAttempts; ++extra) {
      group_.barrier();
      if (group_.decides()) {
        count_if_in_time();
        group_.decide(in_time_ < wanted ? 1 : 0);
      }
      group_.barrier();
      if (group_.decision() == 0) return;
      sample(counts, spec_.checks_all());
    }
  }

  /// Increments the number of usable samples if no rank was late for the start of the previous sample. Only
  /// rank 0 calls it, after a barrier.
  void count_if_in_time() noexcept {
    if (!started_) return;
    const std::uint32_t total = group_.late_ranks();
    if (total == late_before_) ++in_time_;
    late_before_ = total;
    started_ = false;
  }

  void sample(const TrialCounts& counts, bool wants_check) {
    stop_if_aborted();
    const bool check = wants_check && hooks_.verify;
    if (check) prepare(counts.batch, counts.batch);
    set_phase(RankPhase::kWaitingStart);
    group_.barrier();
    std::uint8_t late = 0;
    std::int64_t common = 0;
    std::int64_t due = 0;  // This rank's own start.
    if (spec_.kind == TrialKind::kIsolated) {
      common = window_start();
      due = common + (hooks_.delay_ns ? hooks_.delay_ns(iteration_) : 0);
      progress_.phase.store(RankPhase::kRunning, std::memory_order_relaxed);
      // A rank that polled for long would lose its core to other processes just when it is due.
      if (due - common > kLongestPollNs) clock_.sleep_until(due - kWakingNs);
      late = clock_.now() > due ? 1 : 0;
      wait_for_start(due);
    } else {
      progress_.phase.store(RankPhase::kRunning, std::memory_order_relaxed);
    }
    set_timing(true);
    const std::int64_t begin = clock_.now();
    run_batch(counts.batch);
    const std::int64_t end = clock_.now();
    set_timing(false);
    result_.timed_ns += end - begin;
    // A smaller delay changes the result by at most 1/kLatenessDivisor.
    if (late != 0 && (begin - due) * kLatenessDivisor > end - begin)
      shared_state_.late.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t offset = root_clock();
    const std::int64_t last_due = common + hooks_.skew_ns;
    result_.common_start_ns.push_back((spec_.kind == TrialKind::kIsolated ? last_due : begin) + offset);
    result_.start_ns.push_back(begin + offset);
    result_.end_ns.push_back(end + offset);
    result_.late.push_back(late);
    if (spec_.kind == TrialKind::kIsolated && hooks_.take_columns) hooks_.take_columns(result_.columns);
    if (check) verify();
    iteration_ += counts.batch;
  }

  void verify() {
    if (!stays_verifiable_) {
      // Other ranks may still run their batch, which must not see this rank's fresh data.
      group_.barrier();
      prepare(1, 1);
      group_.barrier();
      set_phase(RankPhase::kRunning);
      hooks_.run(iteration_, 1);
      if (hooks_.wait) hooks_.wait();
    }
    set_phase(RankPhase::kVerifying);
    const std::int64_t begin = clock_.now();
    hooks_.verify(iteration_);
    result_.checking_ns += clock_.now() - begin;
  }

  /// Runs one batch of operations untimed. The first batch is slower than later ones (a CUDA graph is
  /// recorded, connections are made). It may also wait for the device, which would never end while the device
  /// waits for the common start.
  void run_first_batch(std::uint32_t batch) {
    group_.barrier();
    set_phase(RankPhase::kRunning);
    run_operations(batch);
    iteration_ += batch;
  }

  /// Takes samples that the device times, in rounds. The operations of a round are queued while the device
  /// waits; all ranks let their devices continue at the same instant. The first operation of a round only
  /// aligns the ranks and is not a sample.
  void gated_samples(const TrialCounts& counts) {
    DeviceTimeline& device = *hooks_.timeline;
    result_.device_clock = true;
    result_.mark_ns = device.mark_ns();
    const std::uint32_t per_round = std::max(1U, (device.capacity() - 1) / counts.batch);
    std::uint32_t left = counts.samples;
    for (std::uint32_t round = 0; left > 0; ++round) {
      stop_if_aborted();
      const std::uint32_t samples = std::min(left, per_round);
      left -= samples;
      const bool due = round == 0 || left == 0 || (spec_.check_every != 0 && round % spec_.check_every == 0);
      const bool check = due && hooks_.verify;
      if (check) prepare(1 + samples * counts.batch, counts.batch);
      set_phase(RankPhase::kWaitingStart);
      group_.barrier();
      device.close();
      device.mark();
      hooks_.run(iteration_, 1);
      device.mark();
      for (std::uint32_t s = 0; s < samples; ++s) {
        const std::int64_t begin = clock_.now();
        hooks_.run(iteration_, counts.batch);
        result_.enqueue_ns.push_back((clock_.now() - begin) / counts.batch);
        device.mark();
      }
      group_.barrier();
      const std::int64_t common = window_start();
      progress_.phase.store(RankPhase::kRunning, std::memory_order_relaxed);
      wait_for_start(common);
      set_timing(true);
      device.open();
      hooks_.wait();
      set_timing(false);
      result_.timed_ns += clock_.now() - common;
      count_completed(1 + samples * counts.batch);
      take_marks(device.take_marks_ns(), common, samples);
      if (check) verify();
      iteration_ += 1 + samples * counts.batch;
    }
  }

  void take_marks(const std::vector<std::int64_t>& marks, std::int64_t common, std::uint32_t samples) {
    const std::int64_t root_common = common + root_clock();
    for (std::uint32_t s = 0; s < samples; ++s) {
      result_.common_start_ns.push_back(root_common + marks.at(s + 1));
      result_.start_ns.push_back(root_common + marks.at(s + 1));
      result_.end_ns.push_back(root_common + marks.at(s + 2));
      result_.late.push_back(0);
    }
  }

  /// Waits until the instant `start`, in ns of this machine's clock; returns at once if it has passed. If
  /// ranks share cores and the launch has several machines, the rank sleeps until shortly before it. So the
  /// rank that receives the start from the root can run.
  /// @throws Error(kInternal) if `start` is so far ahead that the root cannot have announced it
  void wait_for_start(std::int64_t start) {
    const std::int64_t ahead = start - clock_.now();
    if (ahead <= 0) return;
    if (ahead > kFarthestStartNs + 2 * group_.clock().uncertainty_ns)
      throw Error(ErrorCode::kInternal, "the common start lies " + std::to_string(ahead / 1'000'000) +
                                            " ms ahead of this machine's clock");
    if (shared_state_.spins == 0 && group_.spans_hosts()) clock_.sleep_until(start - kWakingNs);
    while (clock_.now() < start) clock_.idle(shared_state_.spins == 0);
  }

  /// Returns what must be added to this machine's times in the current sample to get the root's times. Also
  /// records the uncertainty of this offset.
  std::int64_t root_clock() {
    if (!group_.spans_hosts()) return 0;
    const ClockReading reading = group_.clock();
    result_.clock_offset_ns = reading.offset_ns;
    result_.clock_uncertainty_ns = std::max(result_.clock_uncertainty_ns.value_or(0), reading.uncertainty_ns);
    return reading.offset_ns;
  }

  /// Returns the common start time of the next sample, in ns of this machine's clock. All ranks must call it
  /// after a barrier; all except rank 0 wait for the announcement. Rank 0 chooses the time: now plus a lead.
  /// The lead doubles, up to 20 ms, if ranks were late more often than once in 20 starts since it last
  /// doubled.
  std::int64_t window_start() {
    if (group_.decides()) {
      count_if_in_time();
      started_ = true;
      const std::uint32_t late = group_.late_ranks() - late_seen_;
      if (late * 20U > since_widened_) {
        lead_ns_ = std::min(2 * lead_ns_, kLongestWindowNs);
        late_seen_ += late;
        since_widened_ = 0;
      }
      ++since_widened_;
      const std::int64_t start = clock_.now() + lead_ns_;
      group_.announce(start);
      ++starts_seen_;
      announced_window_ns_ = lead_ns_;
      return start;
    }
    group_.pass_on_start();
    std::uint32_t polls = 0;
    while (shared_state_.starts.load(std::memory_order_acquire) == starts_seen_) {
      if (++polls % 64 == 0) stop_if_aborted();
      clock_.idle(shared_state_.spins == 0 || polls > 20'000);
    }
    ++starts_seen_;
    return shared_state_.window_start_ns.load(std::memory_order_relaxed);
  }

  RankGroup& group_;
  SharedState& shared_state_;
  RankProgress& progress_;
  const TrialSpec& spec_;
  const TrialHooks& hooks_;
  Clock& clock_;
  TrialSamples result_;
  std::uint64_t iteration_ = 0;
  std::int64_t done_ = 0;
  std::int64_t lead_ns_ = kShortestWindowNs;
  std::int64_t announced_window_ns_ = 0;
  std::uint64_t starts_seen_ = 0;
  std::uint32_t late_seen_ = 0;
  std::uint32_t since_widened_ = 0;
  std::uint32_t late_before_ = 0;
  std::uint32_t in_time_ = 0;
  bool started_ = false;
  bool stays_verifiable_ = true;
};

}  // namespace collbench
