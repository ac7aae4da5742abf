#include "measure/board.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "core/error.h"

using namespace collbench;

namespace {
struct PlainBoard {
  explicit PlainBoard(int ranks)
      : memory(board_bytes(ranks) / 64 + 1), board(make_board(memory.data(), ranks)) {}
  struct alignas(64) Line {
    std::byte bytes[64] = {};
  };
  std::vector<Line> memory;
  Board* board;
};
}  // namespace

TEST_CASE("no rank leaves a barrier before all have come, a thousand times over") {
  constexpr int kRanks = 5;
  PlainBoard plain(kRanks);
  std::vector<int> entered(kRanks, 0);  // plain ints: the barrier alone orders them
  std::atomic<int> early{0};
  std::vector<std::thread> ranks;
  for (int r = 0; r < kRanks; ++r)
    ranks.emplace_back([&, r] {
      for (int round = 1; round <= 1000; ++round) {
        entered[static_cast<std::size_t>(r)] = round;
        board_barrier(*plain.board);
        for (const int other : entered) early += other != round;
        board_barrier(*plain.board);
      }
    });
  for (auto& t : ranks) t.join();
  CHECK(early == 0);
}

TEST_CASE("raising abort frees the waiting ranks with a cancelled error") {
  PlainBoard plain(3);
  std::atomic<int> cancelled{0};
  std::vector<std::thread> ranks;
  for (int r = 0; r < 2; ++r)
    ranks.emplace_back([&] {
      try {
        board_barrier(*plain.board);
      } catch (const Error& e) {
        cancelled += e.code() == ErrorCode::kCancelled;
      }
    });
  while (plain.board->arrived.load() < 2) std::this_thread::yield();
  plain.board->abort = 1;
  for (auto& t : ranks) t.join();
  CHECK(cancelled == 2);
}

TEST_CASE("each rank has its own cache line of progress, readable by others") {
  PlainBoard plain(3);
  board_note(*plain.board, 1, RankPhase::kVerifying);
  CHECK(plain.board->progress(1)->phase == RankPhase::kVerifying);
  CHECK(plain.board->progress(1)->changed_ns > 0);
  CHECK(plain.board->progress(0)->phase == RankPhase::kStarting);
  CHECK(reinterpret_cast<std::byte*>(plain.board->progress(3)) ==
        reinterpret_cast<std::byte*>(plain.board) + board_bytes(3));
  CHECK(std::string(name_of(RankPhase::kWaitingStart)) == "waiting for the start");
}
