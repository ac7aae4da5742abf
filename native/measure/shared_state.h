#pragma once
// Memory shared by the ranks of one machine and the agent that watches them: barrier, decisions, start times
// and each rank's progress. The agent reads the progress when something hangs. It is a memfd, or plain memory
// if ranks are threads; it has no name, so nothing is left behind.
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

/// Whether a framework's worker process has met the others at its rendezvous address.
enum class Rendezvous : std::uint32_t { kUnknown, kMissing, kJoined };

struct alignas(64) RankProgress {
  std::atomic<RankPhase> phase{RankPhase::kStarting};
  std::atomic<std::int32_t> pid{0};
  std::atomic<std::int32_t> core{-1};   // Core that the rank is bound to; -1 = none.
  std::atomic<std::int32_t> worker{0};  // Process in which a framework's engine works; 0 = none.
  std::atomic<Rendezvous> rendezvous{Rendezvous::kUnknown};
  std::atomic<std::uint64_t> block{0};           // Controller's number of the block being measured.
  std::atomic<std::int64_t> iterations_done{0};  // Operations done in the block, warm-up included.
  std::atomic<std::int64_t> changed_ns{0};       // Time of the last phase change, CLOCK_MONOTONIC.
};

/// State shared by the ranks of a machine, made only of atomics. Constructed over zeroed memory of
/// shared_state_bytes(ranks).
struct SharedState {
  std::int32_t ranks = 0;
  /// Spinner budget for all ranks; 0 if ranks outnumber hardware threads.
  std::atomic<std::uint32_t> spins{0};
  alignas(64) std::atomic<std::uint32_t> arrived{0};
  alignas(64) std::atomic<std::uint32_t> generation{0};
  /// Number of starts announced so far. Ranks recognise a new start by this count, since its time may have
  /// any value.
  alignas(64) std::atomic<std::uint64_t> starts{0};
  std::atomic<std::int64_t> window_start_ns{0};  // Time of the last announced start, on this machine's clock.
  std::atomic<std::int64_t> clock_offset_ns{0};  // Add to this machine's clock to get the root's clock.
  /// Largest error of clock_offset_ns, in either direction.
  std::atomic<std::int64_t> clock_uncertainty_ns{0};
  /// Written by rank 0 before a barrier, read by all after it.
  alignas(64) std::atomic<std::int64_t> decision{0};
  alignas(64) std::atomic<std::uint32_t> late{0};   // Total number of late starts of this machine's ranks.
  alignas(64) std::atomic<std::uint32_t> abort{0};  // If nonzero, every wait throws Error(kCancelled).
  RankProgress* progress(int rank) noexcept;
};

std::size_t shared_state_bytes(int ranks) noexcept;
/// Constructs the state. @param memory zeroed, 64-byte aligned, shared_state_bytes(ranks) long
SharedState* make_shared_state(void* memory, int ranks) noexcept;

/// Records the phase of a rank, for finding the rank that hangs. Costs two stores and one clock read.
void record_phase(SharedState& shared_state, int rank, RankPhase phase) noexcept;

/// Waits until all ranks of the machine are here. @throws Error(kCancelled) if the abort flag is set
void pass_barrier(SharedState& shared_state);

/// Barrier in two parts, for a first rank that must act before the others may leave. The others call
/// join_barrier(). The first rank calls gather_barrier(), which returns when all others have joined, and then
/// release_barrier().
/// @param look called now and then while waiting; may throw
void join_barrier(SharedState& shared_state);
void gather_barrier(SharedState& shared_state, const std::function<void()>& look);
void release_barrier(SharedState& shared_state) noexcept;

}  // namespace collbench
