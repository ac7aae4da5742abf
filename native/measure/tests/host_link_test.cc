#include "measure/host_link.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "core/error.h"
#include "core/spin.h"
#include "measure/tests/machines.h"
#include "measure/trial_loop.h"

using namespace collbench;
using namespace collbench::tests;

namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

struct SkewedClock {
  std::int64_t skew_ns;
  std::int64_t now() const noexcept { return now_ns() + skew_ns; }
  void idle(bool) noexcept { yield_core(); }
  void sleep_until(std::int64_t) noexcept {}
};

}  // namespace

TEST_CASE("the tightest exchange counts, until it is old") {
  ClockOffset offset;
  // The other clock is 1000 ahead; 40 there and 60 back give an error of 10, within half the round trip.
  offset.add({0, 1040, 1045, 105});
  CHECK(offset.at(105).offset_ns == 990);
  CHECK(offset.at(105).uncertainty_ns == 51);
  // A slower exchange does not replace it.
  offset.add({200, 1400, 1400, 500});
  CHECK(offset.at(500).offset_ns == 990);
  // A faster exchange replaces it.
  offset.add({600, 1610, 1610, 620});
  CHECK(offset.at(620).offset_ns == 1000);
  CHECK(offset.at(620).uncertainty_ns == 11);
  // The clocks may have drifted by 5 us after 0.1 s, so an exchange of 1 us is more accurate.
  CHECK(offset.at(100'000'620).uncertainty_ns == 11 + 5000);
  offset.add({100'000'000, 100'001'700, 100'001'700, 100'001'000});
  CHECK(offset.at(100'001'000).offset_ns == 1200);
}

TEST_CASE("a message that was held for long tells no more than the clocks may part meanwhile") {
  ClockOffset offset;
  // The other side holds the message for 10 s; the way takes no time.
  offset.add({0, 500'000, 10'000'500'000, 10'000'000'000});
  CHECK(offset.at(10'000'000'000).offset_ns == 500'000);
  CHECK(offset.at(10'000'000'000).uncertainty_ns == 500'000);
}

TEST_CASE("a barrier over machines lets nobody go before all have come, carries decisions and late counts") {
  for (const std::vector<int>& shape : {std::vector<int>{2, 2}, {1, 3, 2}}) {
    Machines machines(shape);
    int ranks = 0;
    for (const int n : shape) ranks += n;
    // Plain integers: only the barrier orders the accesses.
    std::vector<int> entered(static_cast<std::size_t>(ranks), 0);
    std::atomic<int> early{0}, misled{0}, miscounted{0};
    machines.run([&](Machine& machine, int rank, RankGroup& group) {
      for (int round = 1; round <= 200; ++round) {
        entered[static_cast<std::size_t>(rank)] = round;
        machine.shared_state->late.fetch_add(1, std::memory_order_relaxed);
        if (group.decides()) group.decide(1000 + round);
        group.barrier();
        for (const int other : entered) early += other != round;
        misled += group.decision() != 1000 + round;
        if (group.decides()) miscounted += group.late_ranks() != static_cast<std::uint32_t>(ranks * round);
        group.barrier();
      }
    });
    CHECK(early == 0);
    CHECK(misled == 0);
    CHECK(miscounted == 0);
  }
}

TEST_CASE("only rank 0 decides") {
  Machines machines({2, 2});
  std::atomic<int> deciders{0}, wrong{0};
  machines.run([&](Machine&, int rank, RankGroup& group) {
    deciders += group.decides();
    wrong += group.decides() != (rank == 0);
  });
  CHECK(deciders == 1);
  CHECK(wrong == 0);
}

TEST_CASE("clocks that are hours apart are told within their uncertainty") {
  Machines machines({1, 2, 1}, {0, 5 * kHour, -3 * kHour});
  machines.run([&](Machine& machine, int, RankGroup& group) {
    group.synchronise();
    group.barrier();
    const ClockReading reading = group.clock();
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    CHECK(std::abs(reading.offset_ns + machine.skew_ns) <= reading.uncertainty_ns);
    CHECK((reading.uncertainty_ns > 0) == (machine.first != 0));
  });
}

TEST_CASE("a start brings the uncertainty of its own time, not that of the barrier before") {
  Machines machines({1, 1});
  machines.run([&](Machine& machine, int rank, RankGroup& group) {
    group.barrier();
    if (rank == 0) {
      group.announce(now_ns());
      return;
    }
    machine.skew_ns += kHour;  // The start comes an hour after the barrier.
    group.pass_on_start();
    CHECK(group.clock().uncertainty_ns >= kHour / 1'000'000 * ClockOffset::kDriftPpm);
  });
}

TEST_CASE("ranks on machines with different clocks start together and report times of one clock") {
  // The last machine's clock is below zero, however long this machine is up.
  const std::int64_t below_zero = -now_ns() - 3 * kHour;
  for (const TrialKind kind : {TrialKind::kIsolated, TrialKind::kPipelined}) {
    Machines machines({2, 1, 2}, {0, 5 * kHour, below_zero});
    TrialSpec spec;
    spec.kind = kind;
    spec.min_samples = 5;
    spec.max_samples = 30;
    spec.target_ns = 1'000'000;
    spec.batch = 0;
    std::vector<TrialSamples> got(5);
    std::vector<std::vector<std::uint64_t>> verified(5);
    const std::int64_t before = now_ns();
    machines.run([&](Machine& machine, int rank, RankGroup& group) {
      const auto r = static_cast<std::size_t>(rank);
      SkewedClock clock{machine.skew_ns};
      TrialHooks hooks;
      hooks.run = [](std::uint64_t, std::uint32_t) {};
      hooks.verify = [&](std::uint64_t iteration) { verified[r].push_back(iteration); };
      got[r] = TrialLoop<SkewedClock>(group, spec, hooks, clock).run();
    });
    const std::int64_t after = now_ns();
    CHECK(got[0].start_ns.size() >= 5);
    for (std::size_t r = 0; r < 5; ++r) {
      CAPTURE(r);
      CHECK(got[r].start_ns.size() == got[0].start_ns.size());
      CHECK(got[r].batch == got[0].batch);
      CHECK(verified[r] == verified[0]);
      if (kind == TrialKind::kIsolated) CHECK(got[r].common_start_ns == got[0].common_start_ns);
      REQUIRE(got[r].clock_uncertainty_ns);
      const std::int64_t slack = *got[r].clock_uncertainty_ns;
      CHECK((slack == 0) == (r < 2));
      for (std::size_t i = 0; i < got[r].start_ns.size(); ++i) {
        CHECK(got[r].start_ns[i] >= got[r].common_start_ns[i]);
        CHECK(got[r].end_ns[i] >= got[r].start_ns[i]);
        CHECK(got[r].start_ns[i] >= before - slack);
        CHECK(got[r].end_ns[i] <= after + slack);
      }
    }
  }
}

TEST_CASE("a start that this machine's clock reaches in hours is refused, not awaited") {
  Machines machines({1, 1}, {0, 0});
  std::atomic<int> refused{0};
  machines.run([&](Machine& machine, int rank, RankGroup& group) {
    // A clock that was set back after the exchange that determined its offset.
    SkewedClock clock{rank == 0 ? 0 : -3 * kHour};
    TrialSpec spec;
    TrialHooks hooks;
    hooks.run = [](std::uint64_t, std::uint32_t) {};
    try {
      TrialLoop<SkewedClock>(group, spec, hooks, clock).run();
    } catch (const Error& error) {
      refused += error.code() == ErrorCode::kInternal;
      machine.link.reset();
    }
  });
  CHECK(refused == 1);
}

TEST_CASE("a leader that goes in a barrier frees all others, who say which") {
  Machines machines({2, 2, 2});
  std::mutex mutex;
  std::vector<std::string> lost;
  int cancelled = 0;
  machines.run([&](Machine& machine, int rank, RankGroup& group) {
    group.barrier();
    if (rank == 2) {  // The agent of its machine must free the machine's other ranks.
      machine.link.reset();
      machine.shared_state->abort = 1;
      return;
    }
    try {
      for (;;) group.barrier();
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      if (error.code() == ErrorCode::kConnectionLost) lost.emplace_back(error.what());
      cancelled += error.code() == ErrorCode::kCancelled;
    }
  });
  CHECK(lost == std::vector<std::string>(2, "the link to rank 2 on host1 is lost: it hung up"));
  CHECK(cancelled == 3);
}

TEST_CASE("a leader whose process is killed is noticed by those who wait for it") {
  Machines machines({1, 2});
  Machine& away = machines[1];
  int gate[2];
  REQUIRE(pipe(gate) == 0);
  const pid_t child = fork();
  if (child == 0) {  // The child holds the only other copy of machine 1's end.
    char byte = 0;
    close(gate[1]);
    while (read(gate[0], &byte, 1) != 0) {
    }
    _exit(0);
  }
  away.link.reset();
  std::atomic<int> freed{0};
  std::string reason;
  Machine& here = machines[0];
  std::thread waiting([&] {
    RankGroup group(*here.shared_state, 0);
    group.span(here.link.get());
    try {
      group.barrier();
    } catch (const Error& error) {
      reason = error.what();
      ++freed;
    }
  });
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  waiting.join();
  close(gate[0]);
  close(gate[1]);
  CHECK(freed == 1);
  CHECK(reason == "the link to rank 1 on host1 is lost: it hung up");
  CHECK(here.shared_state->abort == 1);
}

TEST_CASE("a root that is lost is noticed while its machines' own ranks are waited for") {
  Machines machines({1, 2});
  Machine& away = machines[1];
  std::string reason;
  std::thread leader([&] {  // The machine's second rank never comes.
    RankGroup group(*away.shared_state, 0);
    group.span(away.link.get());
    try {
      group.barrier();
    } catch (const Error& error) {
      reason = error.what();
    }
  });
  machines[0].link.reset();
  leader.join();
  CHECK(reason == "the link to rank 0 on host0 is lost: it hung up");
}

TEST_CASE("abort ends the waiting for other machines") {
  Machines machines({1, 1});
  Machine& here = machines[0];
  ErrorCode code = ErrorCode::kInternal;
  std::thread waiting([&] {
    RankGroup group(*here.shared_state, 0);
    group.span(here.link.get());
    try {
      group.barrier();
    } catch (const Error& error) {
      code = error.code();
    }
  });
  here.shared_state->abort = 1;
  waiting.join();
  CHECK(code == ErrorCode::kCancelled);
}

TEST_CASE("leaders that are at different steps say so instead of mixing them up") {
  Machines machines({1, 1});
  std::atomic<int> refused{0};
  machines.run([&](Machine& machine, int rank, RankGroup& group) {
    try {
      if (rank == 0)
        group.barrier();
      else
        group.synchronise();
    } catch (const Error& error) {
      refused += error.code() == ErrorCode::kProtocol;
      machine.link.reset();
    }
  });
  CHECK(refused == 1);
}
