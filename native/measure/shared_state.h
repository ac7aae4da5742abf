#pragma once
// Memory shared by the ranks of one machine and the agent that watches them: barrier, decisions, start times
// and each rank's progress. The agent reads the progress when something hangs. It is a memfd, or plain memory
// if ranks are threads; it has no name, so nothing is left behind.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace collbench {

/// Activity of a rank, for reports about a launch that hangs. kIdle: waits for the next block. kFilling and
/// kVerifying: writes input, compares output.
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

/// State of a framework's worker process: whether it has connected to the other workers at their common
/// address.
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

/// Memory shared by all ranks of a machine, consisting only of atomics. It is constructed in zeroed memory of
/// shared_state_bytes(ranks).
struct SharedState {
  std::int32_t ranks = 0;
  /// Polls before a waiting rank yields its core (budget of Spinner); 0 if there are more ranks than hardware
  /// threads.
  std::atomic<std::uint32_t> spins{0};
  alignas(64) std::atomic<std::uint32_t> arrived{0};     // Ranks that have arrived at the current barrier.
  alignas(64) std::atomic<std::uint32_t> generation{0};  // Number of barriers that were released so far.
  /// Number of starts that were announced so far. Ranks recognise a new start by a change of this count,
  /// because its time can have any value.
  alignas(64) std::atomic<std::uint64_t> starts{0};
  std::atomic<std::int64_t> window_start_ns{0};  // Time of the last announced start, on this machine's clock.
  std::atomic<std::int64_t> clock_offset_ns{0};  // Add to this machine's clock to get the root's clock.
  /// Largest possible error of clock_offset_ns, positive or negative, in ns.
  std::atomic<std::int64_t> clock_uncertainty_ns{0};
  /// Number that rank 0 decides for all ranks, such as the number of samples. It writes before a barrier; all
  /// ranks read after it.
  alignas(64) std::atomic<std::int64_t> decision{0};
  alignas(64) std::atomic<std::uint32_t> late{0};   // Total number of late starts of this machine's ranks.
  alignas(64) std::atomic<std::uint32_t> abort{0};  // If nonzero, every wait throws Error(kCancelled).
  RankProgress* progress(int rank) noexcept;
};

std::size_t shared_state_bytes(int ranks) noexcept;
/// Constructs the SharedState of a machine's ranks in `memory` and returns it.
/// @param memory zeroed, aligned to 64 bytes, shared_state_bytes(ranks) long
/// @param ranks number of ranks on this machine
SharedState* make_shared_state(void* memory, int ranks) noexcept;

/// Barrier between all ranks of this launch on this machine.
/// @throws Error(kCancelled) if the abort flag is set
void pass_barrier(SharedState& shared_state);

/// Barrier in two parts, in which rank 0 of the machine can act between the arrival and the release of the
/// others. The others call join_barrier(). Rank 0 calls gather_barrier(), which returns when all others have
/// arrived, and then release_barrier(). Both waits throw Error(kCancelled) if the abort flag is set.
/// @param look called once per 4,096 polls while waiting; may throw
void join_barrier(SharedState& shared_state);
void gather_barrier(SharedState& shared_state, const std::function<void()>& look);
void release_barrier(SharedState& shared_state) noexcept;

}  // namespace collbench
