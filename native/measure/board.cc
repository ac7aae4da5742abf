#include "measure/board.h"

#include <new>

#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"

namespace collbench {
namespace {

constexpr std::uint32_t kPollsPerLook = 4096;
constexpr std::size_t kProgressOffset = (sizeof(Board) + 63) / 64 * 64;

[[noreturn]] void throw_aborted() {
  throw Error(ErrorCode::kCancelled, "stopped while waiting for the other ranks: the run is being ended");
}

void wait_for_release(const Board& board, std::uint32_t generation) {
  Spinner spinner(board.spins);
  while (board.generation.load(std::memory_order_acquire) == generation) {
    if (board.abort.load(std::memory_order_relaxed) != 0) throw_aborted();
    spinner.step();
  }
}

}  // namespace

const char* name_of(RankPhase phase) noexcept {
  switch (phase) {
    case RankPhase::kStarting:
      return "starting";
    case RankPhase::kConnecting:
      return "connecting";
    case RankPhase::kIdle:
      return "idle";
    case RankPhase::kFilling:
      return "filling";
    case RankPhase::kWaitingStart:
      return "waiting for the start";
    case RankPhase::kRunning:
      return "running";
    case RankPhase::kVerifying:
      return "verifying";
    case RankPhase::kFinished:
      return "finished";
  }
  return "unknown";
}

RankProgress* Board::progress(int rank) noexcept {
  auto* base = reinterpret_cast<std::byte*>(this) + kProgressOffset;
  return std::launder(reinterpret_cast<RankProgress*>(base)) + rank;
}

std::size_t board_bytes(int ranks) noexcept {
  return kProgressOffset + sizeof(RankProgress) * static_cast<std::size_t>(ranks);
}

Board* make_board(void* memory, int ranks) noexcept {
  auto* board = new (memory) Board;
  board->ranks = ranks;
  board->spins = spins_for(ranks);
  auto* progress = static_cast<std::byte*>(memory) + kProgressOffset;
  for (int r = 0; r < ranks; ++r)
    new (progress + sizeof(RankProgress) * static_cast<std::size_t>(r)) RankProgress;
  return board;
}

void board_barrier(Board& board) {
  const std::uint32_t generation = board.generation.load(std::memory_order_acquire);
  if (board.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(board.ranks))
    return board_release(board);
  wait_for_release(board, generation);
}

void board_join(Board& board) {
  const std::uint32_t generation = board.generation.load(std::memory_order_acquire);
  board.arrived.fetch_add(1, std::memory_order_acq_rel);
  wait_for_release(board, generation);
}

void board_gather(Board& board, const std::function<void()>& look) {
  Spinner spinner(board.spins);
  const auto others = static_cast<std::uint32_t>(board.ranks - 1);
  for (std::uint32_t polls = 1; board.arrived.load(std::memory_order_acquire) != others; ++polls) {
    if (board.abort.load(std::memory_order_relaxed) != 0) throw_aborted();
    if (polls % kPollsPerLook == 0) look();
    spinner.step();
  }
}

void board_release(Board& board) noexcept {
  board.arrived.store(0, std::memory_order_relaxed);
  board.generation.fetch_add(1, std::memory_order_release);
}

void board_note(Board& board, int rank, RankPhase phase) noexcept {
  RankProgress& progress = *board.progress(rank);
  progress.phase.store(phase, std::memory_order_relaxed);
  progress.changed_ns.store(now_ns(), std::memory_order_relaxed);
}

}  // namespace collbench
