#include "measure/trial.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "core/error.h"
#include "measure/tests/plain_shared_state.h"
#include "measure/trial_loop.h"

using namespace collbench;

namespace {

/// Clock that moves only on request, and by one nanosecond per idle poll. So a wait for an instant ends
/// exactly on it.
struct HandClock {
  std::int64_t ns = 1'000'000;
  std::int64_t now() const noexcept { return ns; }
  void idle(bool) noexcept { ++ns; }
  void sleep_until(std::int64_t) noexcept {}
};

struct Calls {
  std::vector<std::uint64_t> prepared, ran, verified;
  bool repeatable = true;
  TrialHooks hooks(std::function<void()> work = [] {}) {
    return {[this](std::uint64_t i, std::uint32_t operations, std::uint32_t) {
              prepared.push_back(i);
              return repeatable || operations == 1;
            },
            [this, work](std::uint64_t i, std::uint32_t operations) {
              for (std::uint32_t n = 0; n < operations; ++n) {
                ran.push_back(i);
                work();
              }
            },
            [this](std::uint64_t i) { verified.push_back(i); },
            {},
            nullptr};
  }
};

TrialSamples run_by_hand(PlainSharedState& plain, const TrialSpec& spec, const TrialHooks& hooks,
                         HandClock& clock) {
  RankGroup group(*plain.shared_state, 0);
  return TrialLoop<HandClock>(group, spec, hooks, clock).run();
}

}  // namespace

TEST_CASE("an isolated sample starts on the announced instant and lasts as long as the operation") {
  PlainSharedState plain(1);
  HandClock clock;
  Calls calls;
  TrialSpec spec;
  spec.first_iteration = 40;
  spec.warmup = 2;
  spec.max_samples = 5;
  spec.target_ns = 0;
  const TrialSamples got = run_by_hand(plain, spec, calls.hooks([&] { clock.ns += 700; }), clock);
  REQUIRE(got.start_ns.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(got.start_ns[i] == got.common_start_ns[i]);
    CHECK(got.end_ns[i] - got.start_ns[i] == 700);
    CHECK(got.late[i] == 0);
  }
  CHECK(got.window_ns == 2'000);
  CHECK(got.warmup_ns == std::vector<std::int64_t>{700, 700});
  CHECK(calls.ran == std::vector<std::uint64_t>{40, 41, 42, 43, 44, 45, 46});
  CHECK(calls.prepared == std::vector<std::uint64_t>{40, 42, 46});
  CHECK(calls.verified == std::vector<std::uint64_t>{42, 46});
  CHECK(got.next_iteration == 47);
  CHECK(plain.shared_state->progress(0)->iterations_done == 7);
}

TEST_CASE(
    "a delayed rank starts after the common start, and a sample is timed from when the last rank is due") {
  for (const std::int64_t delay_ns : {0, 300, 900}) {
    PlainSharedState plain(1);
    HandClock clock;
    Calls calls;
    TrialHooks hooks = calls.hooks([&] { clock.ns += 700; });
    std::vector<std::uint64_t> asked;
    hooks.skew_ns = 900;
    hooks.delay_ns = [&](std::uint64_t iteration) {
      asked.push_back(iteration);
      return delay_ns;
    };
    TrialSpec spec;
    spec.first_iteration = 40;
    spec.warmup = 1;
    spec.max_samples = 3;
    spec.target_ns = 0;
    const TrialSamples got = run_by_hand(plain, spec, hooks, clock);
    CHECK(asked == std::vector<std::uint64_t>{41, 42, 43});
    CHECK(got.warmup_ns == std::vector<std::int64_t>{700});
    REQUIRE(got.start_ns.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(got.common_start_ns[i] - got.start_ns[i] == 900 - delay_ns);
      CHECK(got.end_ns[i] - got.start_ns[i] == 700);
      CHECK(got.late[i] == 0);
    }
  }
}

TEST_CASE("the number of samples allows for the time in which ranks wait for the last one") {
  PlainSharedState plain(1);
  HandClock clock;
  Calls calls;
  TrialHooks hooks = calls.hooks([&] { clock.ns += 1'000; });
  hooks.skew_ns = 9'000;
  hooks.delay_ns = [](std::uint64_t) { return 9'000; };
  TrialSpec spec;
  spec.max_samples = 100;
  spec.target_ns = 200'000;
  CHECK(run_by_hand(plain, spec, hooks, clock).start_ns.size() == 20);
}

TEST_CASE("a clock may read anything, zero and less included") {
  for (const std::int64_t first_ns : {-2'500LL, -2'000LL, 0LL, -3'600'000'000'000LL}) {
    PlainSharedState plain(1);
    HandClock clock{first_ns};
    Calls calls;
    TrialSpec spec;
    spec.max_samples = 5;
    spec.target_ns = 0;
    const TrialSamples got = run_by_hand(plain, spec, calls.hooks([&] { clock.ns += 700; }), clock);
    REQUIRE(got.start_ns.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(got.start_ns[i] == got.common_start_ns[i]);
      CHECK(got.end_ns[i] - got.start_ns[i] == 700);
    }
    CHECK(clock.ns == first_ns + 6 * 700 + 5 * 2'000);
  }
}

TEST_CASE("a pipelined sample is a batch of operations back to back, every k-th filled and verified") {
  PlainSharedState plain(1);
  HandClock clock;
  Calls calls;
  TrialSpec spec;
  spec.kind = TrialKind::kPipelined;
  spec.max_samples = 6;
  spec.target_ns = 0;
  spec.batch = 4;
  spec.check_every = 2;
  const TrialSamples got = run_by_hand(plain, spec, calls.hooks([&] { clock.ns += 10; }), clock);
  CHECK(got.batch == 4);
  for (std::size_t i = 0; i < 6; ++i) CHECK(got.end_ns[i] - got.start_ns[i] == 40);
  CHECK(calls.ran.size() == 1 + 6 * 4);
  CHECK(calls.verified == std::vector<std::uint64_t>{1, 9, 17, 21});
}

TEST_CASE("checking everything means the warm-up, too, and its time is no part of a sample") {
  PlainSharedState plain(1);
  HandClock clock;
  Calls calls;
  TrialSpec spec;
  spec.warmup = 2;
  spec.max_samples = 4;
  spec.target_ns = 0;
  spec.check_every = 1;
  TrialHooks hooks = calls.hooks([&] { clock.ns += 10; });
  hooks.verify = [&, verify = hooks.verify](std::uint64_t i) {
    clock.ns += 1'000;
    verify(i);
  };
  const TrialSamples got = run_by_hand(plain, spec, hooks, clock);
  CHECK(calls.verified == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5});
  CHECK(calls.prepared == calls.verified);
  for (std::size_t i = 0; i < 4; ++i) CHECK(got.end_ns[i] - got.start_ns[i] == 10);
  CHECK(got.checking_ns == 6'000);
}

TEST_CASE("operations that change their own input are verified on one more run of fresh data") {
  PlainSharedState plain(1);
  HandClock clock;
  Calls calls;
  TrialSpec spec;
  spec.kind = TrialKind::kPipelined;
  spec.warmup = 0;
  spec.max_samples = 3;
  spec.target_ns = 0;
  spec.batch = 2;
  calls.repeatable = false;
  run_by_hand(plain, spec, calls.hooks(), clock);
  CHECK(calls.ran == std::vector<std::uint64_t>{0, 0, 0, 2, 2, 4, 4, 4});
  CHECK(calls.prepared == std::vector<std::uint64_t>{0, 0, 4, 4});
}

TEST_CASE("counts follow rank 0's estimate within the allowed range") {
  TrialSpec spec;
  spec.kind = TrialKind::kPipelined;
  spec.batch = 0;
  spec.min_samples = 3;
  spec.max_samples = 200;
  spec.target_ns = 10'000'000;
  CHECK(trial_counts(spec, 1'000).batch == 50);
  CHECK(trial_counts(spec, 1'000).samples == 200);
  CHECK(trial_counts(spec, 999).batch == 51);
  CHECK(trial_counts(spec, 1).batch == 1'000);
  CHECK(trial_counts(spec, 100'000).batch == 1);
  CHECK(trial_counts(spec, 100'000).samples == 100);
  CHECK(trial_counts(spec, 1'000'000'000).samples == 3);
  spec.target_ns = 0;
  CHECK(trial_counts(spec, 1'000'000'000).samples == 200);
  spec.kind = TrialKind::kIsolated;
  CHECK(trial_counts(spec, 10).batch == 1);
}

TEST_CASE("a rank that misses the start is marked late and the window grows") {
  PlainSharedState plain(1);
  Calls calls;
  // Each clock read costs 1.5 us, so the rank is late for a start announced 2 us ahead.
  struct SlowClock {
    std::int64_t ns = 0;
    std::int64_t now() noexcept { return ns += 1'500; }
    void idle(bool) noexcept { ns += 1; }
    void sleep_until(std::int64_t) noexcept {}
  } clock;
  TrialSpec spec;
  spec.max_samples = 30;
  spec.target_ns = 0;
  plain.shared_state->window_start_ns = 0;
  RankGroup group(*plain.shared_state, 0);
  const TrialSamples got = TrialLoop<SlowClock>(group, spec, calls.hooks(), clock).run();
  CHECK(got.window_ns >= 2'000);
  int late = 0;
  for (std::size_t i = 0; i < got.late.size(); ++i) {
    late += got.late[i];
    if (got.late[i] == 0) CHECK(got.start_ns[i] >= got.common_start_ns[i]);
  }
  CHECK(late == static_cast<int>(plain.shared_state->late.load()));
  CHECK(got.late.back() == 0);
}

TEST_CASE(
    "all ranks take the same number of samples from one common instant and verify the same iterations") {
  constexpr int kRanks = 3;
  for (const TrialKind kind : {TrialKind::kIsolated, TrialKind::kPipelined}) {
    PlainSharedState plain(kRanks);
    TrialSpec spec;
    spec.kind = kind;
    spec.min_samples = 5;
    spec.max_samples = 40;
    spec.target_ns = 100'000;
    spec.batch = 0;
    spec.check_every = 3;
    std::vector<Calls> calls(kRanks);
    std::vector<TrialSamples> got(kRanks);
    std::vector<std::thread> ranks;
    for (std::size_t r = 0; r < kRanks; ++r)
      ranks.emplace_back([&, r] {
        RankGroup group(*plain.shared_state, static_cast<int>(r));
        got[r] = run_trial(group, spec, calls[r].hooks());
      });
    for (auto& t : ranks) t.join();
    CHECK(got[0].start_ns.size() >= 5);
    for (std::size_t r = 1; r < kRanks; ++r) {
      CHECK(got[r].start_ns.size() == got[0].start_ns.size());
      CHECK(got[r].batch == got[0].batch);
      CHECK(calls[r].prepared == calls[0].prepared);
      CHECK(calls[r].verified == calls[0].verified);
      if (kind == TrialKind::kIsolated) CHECK(got[r].common_start_ns == got[0].common_start_ns);
    }
    for (const auto& rank : got)
      for (std::size_t i = 0; i < rank.start_ns.size(); ++i) {
        CHECK(rank.start_ns[i] >= rank.common_start_ns[i]);
        CHECK(rank.end_ns[i] >= rank.start_ns[i]);
      }
  }
}

namespace {
/// Device with 100 ns per operation and 30 ns per mark, on a clock moved by hand.
struct EmulatedDevice : DeviceTimeline {
  std::vector<std::int64_t> marks;
  std::int64_t ns = 0;
  bool open_now = true;
  std::vector<int> queued;  // Operations in each round, including the aligning one.
  void close() override {
    open_now = false;
    queued.push_back(0);
  }
  void open() override { open_now = true; }
  void mark() override { marks.push_back(ns += 30); }
  void operation(std::uint32_t n) {
    ns += 100 * static_cast<std::int64_t>(n);
    if (!open_now) queued.back() += static_cast<int>(n);
  }
  std::vector<std::int64_t> take_marks_ns() override {
    std::vector<std::int64_t> out;
    for (const std::int64_t m : marks) out.push_back(m - marks.front());
    marks.clear();
    return out;
  }
  std::int64_t mark_ns() const override { return 30; }
  std::uint32_t capacity() const override { return 11; }
};
}  // namespace

TEST_CASE("on a device, operations wait behind a gate, the first only aligns, marks bound batches") {
  PlainSharedState plain(1);
  HandClock clock;
  Calls calls;
  EmulatedDevice device;
  TrialHooks hooks = calls.hooks();
  hooks.run = [&](std::uint64_t i, std::uint32_t n) {
    calls.ran.push_back(i);
    clock.ns += 7 * n;  // Time that the host needs to queue them.
    device.operation(n);
  };
  hooks.wait = [] {};
  hooks.timeline = &device;
  TrialSpec spec;
  spec.warmup = 1;
  spec.max_samples = 3;
  spec.target_ns = 0;
  const TrialSamples got = run_by_hand(plain, spec, hooks, clock);
  CHECK(got.device_clock);
  CHECK(got.batch == 10);
  CHECK(device.queued == std::vector<int>{11, 11, 11});
  REQUIRE(got.end_ns.size() == 3);
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(got.end_ns[s] - got.start_ns[s] - got.mark_ns == 10 * 100);
    CHECK(got.enqueue_ns[s] == 7);
  }
  CHECK(calls.prepared == std::vector<std::uint64_t>{0, 11, 33});
  CHECK(calls.verified == std::vector<std::uint64_t>{11, 33});
}

TEST_CASE("no two checked operations of a block have the same data, in whatever batches they run") {
  for (const std::uint32_t batch : {1U, 4U, 20U}) {
    PlainSharedState plain(1);
    HandClock clock;
    // Data as a workload fills them: one iteration for each operation of a batch.
    std::vector<std::uint64_t> data;
    TrialHooks hooks;
    hooks.prepare = [&](std::uint64_t iteration, std::uint32_t operations, std::uint32_t) {
      for (std::uint32_t n = 0; n < operations; ++n) data.push_back(iteration + n);
      return true;
    };
    hooks.run = [](std::uint64_t, std::uint32_t) {};
    hooks.verify = [](std::uint64_t) {};
    TrialSpec spec;
    spec.kind = TrialKind::kPipelined;
    spec.warmup = 2;
    spec.max_samples = 5;
    spec.target_ns = 0;
    spec.batch = batch;
    spec.check_every = 1;
    const TrialSamples got = run_by_hand(plain, spec, hooks, clock);
    CHECK(data.size() == 2 + 5 * batch);
    std::sort(data.begin(), data.end());
    CHECK(std::adjacent_find(data.begin(), data.end()) == data.end());
    CHECK(got.next_iteration > data.back());
  }
}

TEST_CASE("what a queue does when it sees a batch first is in no sample") {
  for (const TrialKind kind : {TrialKind::kPipelined, TrialKind::kIsolated})
    for (const bool has_timeline : {false, true})
      for (const std::uint32_t batch : {0U, 1U, 20U}) {
        PlainSharedState plain(1);
        HandClock clock;
        EmulatedDevice device;
        std::vector<std::uint32_t> seen;
        TrialHooks hooks;
        hooks.run = [&](std::uint64_t, std::uint32_t operations) {
          const bool first = std::find(seen.begin(), seen.end(), operations) == seen.end();
          if (first) seen.push_back(operations);
          clock.ns += first ? 100'000'000 : 10;  // The first run records, later ones launch.
          device.operation(operations);
        };
        hooks.wait = [] {};
        if (has_timeline) hooks.timeline = &device;
        TrialSpec spec;
        spec.kind = kind;
        spec.max_samples = 4;
        spec.target_ns = 0;
        spec.batch = batch;
        const TrialSamples got = run_by_hand(plain, spec, hooks, clock);
        REQUIRE(got.end_ns.size() == 4);
        for (std::size_t s = 0; s < 4; ++s) CHECK(got.end_ns[s] - got.start_ns[s] < 1'000'000);
        for (const std::int64_t queued : got.enqueue_ns) CHECK(queued < 1'000'000);
      }
}

TEST_CASE("abort ends a trial between samples") {
  PlainSharedState plain(1);
  HandClock clock;
  Calls calls;
  TrialSpec spec;
  spec.max_samples = 1'000;
  spec.target_ns = 0;
  const TrialHooks hooks = calls.hooks([&] {
    if (calls.ran.size() == 10) plain.shared_state->abort = 1;
  });
  CHECK_THROWS_AS(run_by_hand(plain, spec, hooks, clock), Error);
  CHECK(calls.ran.size() == 10);
}
