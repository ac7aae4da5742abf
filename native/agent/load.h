#pragma once
// Concurrent load of one rank. It is created from the settings, measured alone before each block, and then
// runs while the block is measured.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "concurrent_load/workers.h"
#include "engines/engine.h"
#include "measure/rank_group.h"
#include "measure/trial.h"

namespace collbench::agent {

/// Name of the setting with the concurrent load, such as "compute" or "compute:2" (kind and amount). The
/// setting is not passed to the engine.
inline constexpr const char* kConcurrentLoadSetting = "beside";

/// Work that the concurrent load of one rank did for one block, in units of its kind (operations, bytes):
/// `alone_units` in the `alone_ns` nanoseconds before the block, while no collective ran; `timed_units` in
/// the `timed_ns` nanoseconds of the block during which samples were timed.
struct LoadOutcome {
  int workers = 0;  // Number of threads of the load.
  std::uint64_t alone_units = 0;
  std::int64_t alone_ns = 0;
  std::uint64_t timed_units = 0;
  std::int64_t timed_ns = 0;
  TransportCounters moved;  // Bytes and messages over the load's own transport, from begin() to end().
};

class ConcurrentLoad {
 public:
  /// Creates the load. All ranks must call it together, after their engines have connected.
  /// @param word kind and amount: "compute:2"
  /// @throws Error(kInvalidArgument) if the engine does not offer this kind or amount
  ConcurrentLoad(const EngineEntry& engine, const std::string& word,
                 const concurrent_load::LoadContext& context);

  /// Runs the load for about 30 ms on all ranks at once, before the workload starts, and stores its rate as
  /// reference (LoadOutcome::alone_*). Then the load continues until end().
  /// @param sleep_until returns at the given CLOCK_MONOTONIC time; throws if the launch is to end
  void begin(RankGroup& group, const std::function<void(std::int64_t instant_ns)>& sleep_until);
  /// Returns the flag that the trial loop sets to 1 while it times a sample (TrialHooks::timing). Load
  /// threads read it, so that work during samples is counted separately.
  std::atomic<std::uint32_t>& timing() noexcept { return workers_->timing(); }
  /// Throws the exception that ended a thread of the load; does nothing if none has failed.
  void check() { workers_->check(); }
  /// Pauses the load after the block and returns its work since begin(). All ranks must call it together.
  /// @param samples result of the block, for its timed_ns
  LoadOutcome end(RankGroup& group, const TrialSamples& samples);

 private:
  std::unique_ptr<concurrent_load::Workers> workers_;
  concurrent_load::Workers::UnitCounts before_;
  concurrent_load::LoadTask::TransferCounts moved_before_;
  LoadOutcome outcome_;
};

/// Returns the cores on which the load of a rank may run: the rank's share of the machine's cores.
/// @param has_process true if the rank is a process of its own, not a thread
/// @param stays_bound true if the user or the controller chose the rank's cores; then the load uses only
/// these
std::vector<int> cores_of_load(SharedState& shared_state, int local_index, bool has_process,
                               bool stays_bound);

}  // namespace collbench::agent
