#pragma once
// The load of one rank: made from the word of its settings, measured alone before each block, then kept at
// work while the block is measured.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "beside/workers.h"
#include "engines/engine.h"
#include "measure/assembly.h"
#include "measure/trial.h"

namespace collbench::agent {

/// Word of the settings that is not the engine's: "compute", "compute:2".
inline constexpr const char* kBesideSetting = "beside";

/// What the load of one rank did around one block: units of work, by itself and while samples were timed.
struct LoadOutcome {
  int workers = 0;
  std::uint64_t alone_units = 0;
  std::int64_t alone_ns = 0;
  std::uint64_t timed_units = 0;
  std::int64_t timed_ns = 0;
  TransportCounters moved;  // over a transport of its own, in the whole block
};

class Load {
 public:
  /// All ranks make theirs together, once their engines are connected.
  /// @throws Error(kInvalidArgument) for a word or an amount that the engine does not have
  Load(const EngineEntry& engine, const std::string& word, const beside::Context& context);

  /// By itself, on all ranks at once; then at work until end().
  /// @param sleep_until returns at that instant, or throws where the run is being ended
  void begin(Assembly& all, const std::function<void(std::int64_t instant_ns)>& sleep_until);
  /// For TrialHooks::timing.
  std::atomic<std::uint32_t>& timing() noexcept { return workers_->timing(); }
  /// @throws what ended a worker
  void check() { workers_->check(); }
  LoadOutcome end(Assembly& all, const TrialSamples& samples);

 private:
  std::unique_ptr<beside::Workers> workers_;
  beside::Workers::Done before_;
  beside::Work::Moved moved_before_;
  LoadOutcome outcome_;
};

/// Where the load of a rank may work: its share of the machine's cores.
/// @param stays_bound its cores were chosen for it: the load keeps to them
std::vector<int> cores_of_load(Board& board, int board_index, bool has_process, bool stays_bound);

}  // namespace collbench::agent
