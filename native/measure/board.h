#pragma once
// Shared memory between the ranks of one machine and whoever watches them: spin barrier, agreed decisions,
// window start and each rank's progress (read by the agent when something hangs). Lives in a memfd or in
// plain memory for threads; it has no name, so nothing stays behind.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace collbench {

enum class RankPhase : std::uint32_t {
  kStarting,
  kConnecting,
  kIdle,
  kFilling,
  kWaitingStart,
  kRunning,
  kVerifying,
  kFinished
};
const char* name_of(RankPhase phase) noexcept;

/// Whether the process in which a rank works has found the others where they meet.
enum class Rendezvous : std::uint32_t { kUnknown, kMissing, kThere };

struct alignas(64) RankProgress {
  std::atomic<RankPhase> phase{RankPhase::kStarting};
  std::atomic<std::int32_t> pid{0};
  std::atomic<std::int32_t> core{-1};   // the one it is bound to; -1 = none
  std::atomic<std::int32_t> worker{0};  // process in which an engine works (a framework's); 0 = none
  std::atomic<Rendezvous> rendezvous{Rendezvous::kUnknown};
  std::atomic<std::uint64_t> block{0};  // number of the block being measured, as the controller counts
  std::atomic<std::int64_t> iterations_done{0};  // within the block, warm-up included
  std::atomic<std::int64_t> changed_ns{0};       // CLOCK_MONOTONIC of the last change
};

/// Plain data with atomics; constructed in place over zeroed memory of board_bytes(ranks).
struct Board {
  std::int32_t ranks = 0;
  std::atomic<std::uint32_t> spins{0};  // Spinner budget all ranks use: 0 when ranks outnumber cores
  alignas(64) std::atomic<std::uint32_t> arrived{0};
  alignas(64) std::atomic<std::uint32_t> generation{0};
  alignas(64) std::atomic<std::uint64_t> starts{0};   // announced so far; a new one is known by its count,
                                                      // since a clock may read anything
  std::atomic<std::int64_t> window_start_ns{0};       // the last one announced, on this machine's clock
  std::atomic<std::int64_t> clock_offset_ns{0};       // add to this machine's clock to get the root's
  std::atomic<std::int64_t> clock_uncertainty_ns{0};  // by how much that may be wrong, either way
  alignas(64) std::atomic<std::int64_t> decision{0};  // rank 0 writes before a barrier, all read after it
  alignas(64) std::atomic<std::uint32_t> late{
      0};  // ranks that missed a window start, counted over the board's life
  alignas(64) std::atomic<std::uint32_t> abort{0};  // nonzero: every wait throws Error(kCancelled)
  RankProgress* progress(int rank) noexcept;
};

std::size_t board_bytes(int ranks) noexcept;
/// @param memory zeroed, 64-byte aligned, board_bytes(ranks) long
Board* make_board(void* memory, int ranks) noexcept;

/// Writes where a rank stands, for whoever must tell which rank hangs; costs two stores and one look at the
/// clock.
void board_note(Board& board, int rank, RankPhase phase) noexcept;

/// Barrier over all ranks of the board. @throws Error(kCancelled) when abort is raised while waiting
void board_barrier(Board& board);

/// The same in two parts, where the first rank has something to do before the others may leave: they join,
/// it gathers (until all others have joined) and releases.
/// @param look called now and then while waiting; may throw
void board_join(Board& board);
void board_gather(Board& board, const std::function<void()>& look);
void board_release(Board& board) noexcept;

}  // namespace collbench
