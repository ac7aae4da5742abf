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

/// Name of the setting that selects the load: "compute", "compute:2". The engine does not see this setting.
inline constexpr const char* kConcurrentLoadSetting = "beside";

/// Work of one rank's load around one block, in units: alone, and while samples were timed.
struct LoadOutcome {
  int workers = 0;
  std::uint64_t alone_units = 0;
  std::int64_t alone_ns = 0;
  std::uint64_t timed_units = 0;
  std::int64_t timed_ns = 0;
  TransportCounters moved;  // Bytes and messages over the load's own transport during the whole block.
};

class ConcurrentLoad {
 public:
  /// Creates the load; all ranks call it together after their engines are connected.
  /// @throws Error(kInvalidArgument) for a kind or an amount that the engine does not offer
  ConcurrentLoad(const EngineEntry& engine, const std::string& word,
                 const concurrent_load::LoadContext& context);

  /// Runs the load alone on all ranks at once and records its rate; then leaves it running until end().
  /// @param sleep_until returns at that instant, or throws if the run is being ended
  void begin(RankGroup& group, const std::function<void(std::int64_t instant_ns)>& sleep_until);
  /// Returns the flag for TrialHooks::timing.
  std::atomic<std::uint32_t>& timing() noexcept { return workers_->timing(); }
  /// Rethrows the exception that ended a worker, if one did.
  void check() { workers_->check(); }
  LoadOutcome end(RankGroup& group, const TrialSamples& samples);

 private:
  std::unique_ptr<concurrent_load::Workers> workers_;
  concurrent_load::Workers::UnitCounts before_;
  concurrent_load::LoadTask::TransferCounts moved_before_;
  LoadOutcome outcome_;
};

/// Returns the cores on which the load of a rank may run: its share of the machine's cores.
/// @param stays_bound true if the rank's cores were chosen explicitly; then the load uses only those
std::vector<int> cores_of_load(SharedState& shared_state, int local_index, bool has_process,
                               bool stays_bound);

}  // namespace collbench::agent
