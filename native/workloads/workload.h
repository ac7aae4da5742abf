#pragma once
// A workload is what is measured: units of work and the verification of their results. It is written against
// Engine only; the trial loop (measure/) times its units and knows nothing else about it. A new workload is a
// folder whose workload.cc defines NAME_workload(), which CMake finds. If it needs something that engines do
// not offer, engine.h gets a new primitive and engines/ability.h an ability.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/verification.h"
#include "engines/ability.h"
#include "measure/timeline.h"
#include "measure/trial.h"
#include "workloads/axes.h"

namespace collbench {

class Engine;

/// A workload (such as "collective") with the values of its parameters, as the controller requests it.
struct WorkloadRequest {
  std::string name;
  Axes axes;
  /// Text that lists the content of one unit of work (the operation that is timed), for workloads whose axis
  /// values do not describe it completely. For replay: the computations and collectives of one step of a job.
  /// Each workload has its own format. "" = none.
  std::string script = {};
  bool operator==(const WorkloadRequest&) const = default;
};

/// Algorithm and protocol that the engine uses for one unit of work, such as "ring" and "Simple"; "" = the
/// engine has no choice or does not report it.
struct EngineChoice {
  std::string algorithm, protocol;
};

/// A workload on one rank: executes units of work (such as one collective) and verifies their results. The
/// constructor gets buffers and fills them, so that memory pages exist and values are valid before timing
/// starts.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Fills the input of the unit of work (such as one collective) that will be verified, and overwrites its
  /// output with values that no result has. That unit is the `units`-th that runs after this call, and the
  /// last one of a run() of `batch` units.
  virtual void prepare(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch) = 0;
  /// Like prepare(), but also prepares units that run before the verified one, if they can have separate
  /// memory. Each gets its own data (of `iteration` and the following). verify() then compares all of them.
  /// @param all false: only units of the last batch, and only so many that the extra memory does not displace
  /// data from the caches
  /// @returns false if verify() is impossible, because units change their own input and share memory
  virtual bool prepare_more(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch, bool /*all*/) {
    prepare(iteration, units, batch);
    return units == 1 || repeatable();
  }
  /// Starts `units` operations (units of work), one after the other. They are complete when wait() returns.
  virtual void run(std::uint32_t units) = 0;
  virtual void wait() {}
  /// Returns true if run() can return before its units are complete. Then a whole batch is started by one
  /// run().
  [[nodiscard]] virtual bool queues() const { return false; }
  /// Compares the output of the units that prepare() or prepare_more() has prepared with the expected one.
  /// @param iteration the value that was passed to that function
  virtual Verification verify(std::uint64_t iteration) = 0;
  /// Returns the object that takes time stamps on the device; null = samples are timed with the host's clock.
  /// If it is not null, run() only queues, and isolated trials are timed on the device.
  virtual DeviceTimeline* timeline() { return nullptr; }
  /// Returns false if verify() knows only the result of the first unit after prepare(), for example because a
  /// unit changes its own input.
  [[nodiscard]] virtual bool repeatable() const { return true; }
  [[nodiscard]] virtual EngineChoice choice() const { return {}; }
  /// Adds times and counts of the parts of the last unit to `columns`: one value per name, and always the
  /// same names.
  virtual void take_columns(OperationColumns& /*columns*/) {}
};

/// Context in which a workload is created: the engine that executes operations, and facts about the rank.
struct WorkloadContext {
  Engine& engine;
  int rank = 0, ranks = 1;
  std::uint64_t seed = 0;
  std::uint64_t iteration = 0;  // Iteration whose data fill the buffers first.
  /// Number of units that this rank has run before, in any workload. Rotating buffers continue from the
  /// position that follows.
  std::uint64_t units_done = 0;
  std::string_view script = {};  // Script of the request, set by create_workload; only valid during create().
};

struct WorkloadEntry {
  std::string_view name;
  /// Abilities (such as queues for puts) that the engine must have, every one of them.
  std::span<const Ability> needs;
  /// Names of all axes (parameters) of the workload. Requests with other axes are refused before create().
  std::span<const std::string_view> axes;
  /// Creates the workload for one rank. All ranks must create it together, because it may connect them or
  /// exchange messages. @throws Error(kInvalidArgument) if the axis values are impossible
  std::unique_ptr<Workload> (*create)(const WorkloadContext& context, const Axes& axes);
  /// Returns a description of one operation for messages: "allreduce 64 MiB". @throws as create()
  std::string (*describe)(const Axes& axes);
  /// Abilities of which the engine must have at least one. Empty = no such condition.
  std::span<const Ability> either = {};
};

}  // namespace collbench
