#pragma once
// The loop behind run_trial, over any clock: tests turn one by hand and ask for exact nanoseconds.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "core/error.h"
#include "measure/assembly.h"
#include "measure/trial.h"

namespace collbench {

/// Clock: `std::int64_t now()` in ns, monotonic and common to all ranks of the machine; `void idle(bool
/// give_core_away)` between polls; `void sleep_until(std::int64_t)`, which may return early.
template <class Clock>
class TrialLoop {
 public:
  TrialLoop(Assembly& all, const TrialSpec& spec, const TrialHooks& hooks, Clock& clock)
      : all_(all),
        board_(all.board()),
        progress_(*board_.progress(all.index())),
        spec_(spec),
        hooks_(hooks),
        clock_(clock) {}

  TrialSamples run() {
    progress_.block.store(spec_.block, std::memory_order_relaxed);
    done_ = 0;
    iteration_ = spec_.first_iteration;
    all_.synchronise();
    if (spec_.kind == TrialKind::kIsolated) measure_barrier();
    warm_up();
    const TrialCounts counts = agree();
    result_.batch = counts.batch;
    for (auto* column : {&result_.common_start_ns, &result_.start_ns, &result_.end_ns})
      column->reserve(counts.samples);
    result_.late.reserve(counts.samples);
    if (gated() || (hooks_.wait && counts.batch > 1)) run_first_batch(counts.batch);
    if (gated()) {
      gated_samples(counts);
    } else {
      for (std::uint32_t s = 0; s < counts.samples; ++s) sample(counts, checked(s, counts.samples));
      if (spec_.kind == TrialKind::kIsolated) replace_late_samples(counts);
    }
    note(RankPhase::kIdle);
    result_.window_ns = board_window_;
    result_.next_iteration = iteration_;
    return std::move(result_);
  }

 private:
  static constexpr int kBarrierProbes = 9;
  static constexpr std::int64_t kShortestWindowNs = 2'000;
  static constexpr std::int64_t kLongestWindowNs = 20'000'000;
  /// No start is announced farther ahead than the longest window; the rest is room for an estimate of another
  /// machine's clock. Waiting for more would be waiting for ever.
  static constexpr std::int64_t kFarthestStartNs = 1'000'000'000;
  /// Before a start: what it takes the ranks of one core to wake up.
  static constexpr std::int64_t kWakingNs = 200'000;
  /// A miss of the start by less than this part of the operation cannot move the figure by more than that
  /// (results/derive/headline.ts draws the same line), so nobody waits longer for its sake.
  static constexpr std::int64_t kTolerableLateness = 500;
  /// Extra attempts where ranks kept coming late: as many again, and a few for very short blocks.
  static constexpr std::uint32_t kExtraAttempts = 16;

  void note(RankPhase phase) noexcept {
    progress_.phase.store(phase, std::memory_order_relaxed);
    progress_.changed_ns.store(clock_.now(), std::memory_order_relaxed);
  }
  void stop_if_aborted() const {
    if (board_.abort.load(std::memory_order_relaxed) != 0)
      throw Error(ErrorCode::kCancelled, "stopped while measuring: the run is being ended");
  }
  [[nodiscard]] bool gated() const noexcept {
    return spec_.kind == TrialKind::kIsolated && hooks_.timeline != nullptr;
  }
  void run_operations(std::uint32_t operations) {
    hooks_.run(iteration_, operations);
    if (hooks_.wait) hooks_.wait();
    completed(operations);
  }
  void completed(std::uint32_t operations) noexcept {
    done_ += operations;
    progress_.iterations_done.store(done_, std::memory_order_relaxed);
  }
  /// Host engines tell after every operation of a batch how far they came; one that queues gets them at once.
  void run_batch(std::uint32_t operations) {
    if (hooks_.wait) return run_operations(operations);
    for (std::uint32_t b = 0; b < operations; ++b) run_operations(1);
  }
  void time(bool on) noexcept {
    if (hooks_.timing != nullptr) hooks_.timing->store(on ? 1 : 0, std::memory_order_relaxed);
  }
  void prepare(std::uint32_t operations, std::uint32_t batch) {
    if (!hooks_.prepare) return;
    note(RankPhase::kFilling);
    const std::int64_t begin = clock_.now();
    stays_verifiable_ = hooks_.prepare(iteration_, operations, batch);
    result_.checking_ns += clock_.now() - begin;
  }

  /// The lead must outlast what it takes the last rank to leave the barrier and see the announcement; the
  /// median of whole barriers, four times over, is a safe first guess that sample() widens when ranks come
  /// late.
  void measure_barrier() {
    std::int64_t took[kBarrierProbes];
    all_.barrier();
    for (auto& t : took) {
      const std::int64_t begin = clock_.now();
      all_.barrier();
      t = clock_.now() - begin;
    }
    std::nth_element(took, took + kBarrierProbes / 2, took + kBarrierProbes);
    lead_ns_ = std::clamp(4 * took[kBarrierProbes / 2], kShortestWindowNs, kLongestWindowNs);
    late_seen_ = late_before_ = all_.late();
  }

  void warm_up() {
    const bool needs_estimate = spec_.target_ns > 0 || spec_.batch == 0;
    const std::uint32_t n = spec_.warmup == 0 && needs_estimate ? 1 : spec_.warmup;
    for (std::uint32_t w = 0; w < n; ++w, ++iteration_) {
      stop_if_aborted();
      if (w == 0 || spec_.checks_all()) prepare(1, 1);
      note(RankPhase::kWaitingStart);
      all_.barrier();
      note(RankPhase::kRunning);
      const std::int64_t begin = clock_.now();
      run_operations(1);
      result_.warmup_ns.push_back(clock_.now() - begin);
      if (spec_.checks_all() && hooks_.verify) verify();
    }
  }

  TrialCounts agree() {
    if (all_.decides()) {
      // The fastest warm-up: the first call also pays for page faults and registrations.
      const auto& took = result_.warmup_ns;
      const std::int64_t estimate = took.empty() ? 1 : *std::min_element(took.begin(), took.end());
      const std::uint32_t queue = gated() ? hooks_.timeline->capacity() : 0;
      const TrialCounts counts = trial_counts(spec_, std::max<std::int64_t>(1, estimate), queue);
      all_.decide((static_cast<std::int64_t>(counts.batch) << 32) | counts.samples);
    }
    starts_seen_ = board_.starts.load(std::memory_order_relaxed);
    all_.barrier();
    const std::int64_t decision = all_.decision();
    return {static_cast<std::uint32_t>(decision), static_cast<std::uint32_t>(decision >> 32)};
  }

  [[nodiscard]] bool checked(std::uint32_t s, std::uint32_t samples) const noexcept {
    if (s == 0 || s + 1 == samples) return true;
    return spec_.check_every != 0 && s % spec_.check_every == 0;
  }

  /// Late samples are kept and not used; a block that has too few others goes on, within bounds, so that a
  /// busy machine yields a figure rather than none. Rank 0 counts, all obey.
  void replace_late_samples(const TrialCounts& counts) {
    const std::uint32_t wanted = std::min(counts.samples, std::max<std::uint32_t>(1, spec_.min_samples));
    for (std::uint32_t extra = 0; extra < counts.samples + kExtraAttempts; ++extra) {
      all_.barrier();
      if (all_.decides()) {
        count_previous();
        all_.decide(in_time_ < wanted ? 1 : 0);
      }
      all_.barrier();
      if (all_.decision() == 0) return;
      sample(counts, spec_.checks_all());
    }
  }

  /// Rank 0, after a barrier: were all ranks in time for the sample before it?
  void count_previous() noexcept {
    if (!started_) return;
    const std::uint32_t total = all_.late();
    if (total == late_before_) ++in_time_;
    late_before_ = total;
    started_ = false;
  }

  void sample(const TrialCounts& counts, bool wants_check) {
    stop_if_aborted();
    const bool check = wants_check && hooks_.verify;
    if (check) prepare(counts.batch, counts.batch);
    note(RankPhase::kWaitingStart);
    all_.barrier();
    std::uint8_t late = 0;
    std::int64_t common = 0;
    if (spec_.kind == TrialKind::kIsolated) {
      common = window_start();
      progress_.phase.store(RankPhase::kRunning, std::memory_order_relaxed);
      late = clock_.now() > common ? 1 : 0;
      await(common);
    } else {
      progress_.phase.store(RankPhase::kRunning, std::memory_order_relaxed);
    }
    time(true);
    const std::int64_t begin = clock_.now();
    run_batch(counts.batch);
    const std::int64_t end = clock_.now();
    time(false);
    result_.timed_ns += end - begin;
    if (late != 0 && (begin - common) * kTolerableLateness > end - begin)
      board_.late.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t offset = root_clock();
    result_.common_start_ns.push_back((spec_.kind == TrialKind::kIsolated ? common : begin) + offset);
    result_.start_ns.push_back(begin + offset);
    result_.end_ns.push_back(end + offset);
    result_.late.push_back(late);
    if (spec_.kind == TrialKind::kIsolated && hooks_.take_columns) hooks_.take_columns(result_.columns);
    if (check) verify();
    iteration_ += counts.batch;
  }

  void verify() {
    if (!stays_verifiable_) {
      // The others may still be in their batch, which must not see fresh data of this rank.
      all_.barrier();
      prepare(1, 1);
      all_.barrier();
      note(RankPhase::kRunning);
      hooks_.run(iteration_, 1);
      if (hooks_.wait) hooks_.wait();
    }
    note(RankPhase::kVerifying);
    const std::int64_t begin = clock_.now();
    hooks_.verify(iteration_);
    result_.checking_ns += clock_.now() - begin;
  }

  /// The first sight of a batch costs a queue more (recording a graph, connections), which is no part of a
  /// sample. It may also wait for the device, which behind a closed gate would be for ever.
  void run_first_batch(std::uint32_t batch) {
    all_.barrier();
    note(RankPhase::kRunning);
    run_operations(batch);
    iteration_ += batch;
  }

  /// Rounds of samples on the device: all of a round is queued behind the gate, which the ranks open at one
  /// instant. The first operation of a round aligns the ranks and is no sample.
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
      note(RankPhase::kWaitingStart);
      all_.barrier();
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
      all_.barrier();
      const std::int64_t common = window_start();
      progress_.phase.store(RankPhase::kRunning, std::memory_order_relaxed);
      await(common);
      time(true);
      device.open();
      hooks_.wait();
      time(false);
      result_.timed_ns += clock_.now() - common;
      completed(1 + samples * counts.batch);
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

  /// Where hosts share cores, ranks sleep up to here and leave them to those that have not heard of the start
  /// yet.
  /// @throws Error(kInternal) for an instant that no root announces
  void await(std::int64_t start) {
    const std::int64_t ahead = start - clock_.now();
    if (ahead <= 0) return;
    if (ahead > kFarthestStartNs + 2 * all_.clock().uncertainty_ns)
      throw Error(ErrorCode::kInternal, "the common start lies " + std::to_string(ahead / 1'000'000) +
                                            " ms ahead of this machine's clock");
    if (board_.spins == 0 && all_.spans_hosts()) clock_.sleep_until(start - kWakingNs);
    while (clock_.now() < start) clock_.idle(board_.spins == 0);
  }

  /// What to add to times of this machine, for the sample since the last barrier; notes how sure that is.
  std::int64_t root_clock() {
    if (!all_.spans_hosts()) return 0;
    const ClockReading reading = all_.clock();
    result_.clock_offset_ns = reading.offset_ns;
    result_.clock_uncertainty_ns = std::max(result_.clock_uncertainty_ns.value_or(0), reading.uncertainty_ns);
    return reading.offset_ns;
  }

  /// Called by all after a barrier. Rank 0 announces the instant; more than 5 % late ranks double the lead.
  std::int64_t window_start() {
    if (all_.decides()) {
      count_previous();
      started_ = true;
      const std::uint32_t late = all_.late() - late_seen_;
      if (late * 20U > since_widened_) {
        lead_ns_ = std::min(2 * lead_ns_, kLongestWindowNs);
        late_seen_ += late;
        since_widened_ = 0;
      }
      ++since_widened_;
      const std::int64_t start = clock_.now() + lead_ns_;
      all_.announce(start);
      ++starts_seen_;
      board_window_ = lead_ns_;
      return start;
    }
    all_.pass_on_start();
    std::uint32_t polls = 0;
    while (board_.starts.load(std::memory_order_acquire) == starts_seen_) {
      if (++polls % 64 == 0) stop_if_aborted();
      clock_.idle(board_.spins == 0 || polls > 20'000);
    }
    ++starts_seen_;
    return board_.window_start_ns.load(std::memory_order_relaxed);
  }

  Assembly& all_;
  Board& board_;
  RankProgress& progress_;
  const TrialSpec& spec_;
  const TrialHooks& hooks_;
  Clock& clock_;
  TrialSamples result_;
  std::uint64_t iteration_ = 0;
  std::int64_t done_ = 0;
  std::int64_t lead_ns_ = kShortestWindowNs;
  std::int64_t board_window_ = 0;
  std::uint64_t starts_seen_ = 0;
  std::uint32_t late_seen_ = 0;
  std::uint32_t since_widened_ = 0;
  std::uint32_t late_before_ = 0;
  std::uint32_t in_time_ = 0;
  bool started_ = false;
  bool stays_verifiable_ = true;
};

}  // namespace collbench
