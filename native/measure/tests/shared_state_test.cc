#include "measure/shared_state.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "core/error.h"
#include "core/spin.h"
#include "measure/tests/plain_shared_state.h"

using namespace collbench;

TEST_CASE("no rank leaves a barrier before all have come, a thousand times over") {
  constexpr int kRanks = 5;
  PlainSharedState plain(kRanks);
  std::vector<int> entered(kRanks, 0);  // Plain integers: only the barrier orders the accesses.
  std::atomic<int> early{0};
  std::vector<std::thread> ranks;
  for (int r = 0; r < kRanks; ++r)
    ranks.emplace_back([&, r] {
      for (int round = 1; round <= 1000; ++round) {
        entered[static_cast<std::size_t>(r)] = round;
        pass_barrier(*plain.shared_state);
        for (const int other : entered) early += other != round;
        pass_barrier(*plain.shared_state);
      }
    });
  for (auto& t : ranks) t.join();
  CHECK(early == 0);
}

TEST_CASE("raising abort frees the waiting ranks with a cancelled error") {
  PlainSharedState plain(3);
  std::atomic<int> cancelled{0};
  std::vector<std::thread> ranks;
  for (int r = 0; r < 2; ++r)
    ranks.emplace_back([&] {
      try {
        pass_barrier(*plain.shared_state);
      } catch (const Error& e) {
        cancelled += e.code() == ErrorCode::kCancelled;
      }
    });
  while (plain.shared_state->arrived.load() < 2) yield_core();
  plain.shared_state->abort = 1;
  for (auto& t : ranks) t.join();
  CHECK(cancelled == 2);
}

TEST_CASE("each rank has its own cache line of progress, readable by others") {
  PlainSharedState plain(3);
  plain.shared_state->progress(1)->phase = RankPhase::kVerifying;
  CHECK(plain.shared_state->progress(1)->phase == RankPhase::kVerifying);
  CHECK(plain.shared_state->progress(0)->phase == RankPhase::kStarting);
  CHECK(reinterpret_cast<std::byte*>(plain.shared_state->progress(3)) ==
        reinterpret_cast<std::byte*>(plain.shared_state) + shared_state_bytes(3));
  CHECK(std::string(name_of(RankPhase::kWaitingStart)) == "waiting for the start");
}
