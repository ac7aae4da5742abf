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

/// Workload part of a `measure` request.
struct WorkloadRequest {
  std::string name;
  Axes axes;
  /// Description of a unit, item by item, if axes do not suffice; the format is the workload's own. "" =
  /// none.
  std::string script = {};
  bool operator==(const WorkloadRequest&) const = default;
};

/// Choice of the engine for a unit ("ring", "Simple"); "" = it has no choice or does not report it.
struct EngineChoice {
  std::string algorithm, protocol;
};

/// Object for one rank and request. The constructor takes buffers and fills them, so that pages are touched
/// and values are valid before timing starts.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Fills the input and poisons the output of the unit that will be verified: the `units`-th from now, the
  /// last of a run() of `batch` units.
  virtual void prepare(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch) = 0;
  /// Also prepares earlier units of these if they can have separate memory, each with its own data
  /// (`iteration` and the following). verify() then compares all of them.
  /// @param all false: only units of the last batch, and no more than leave the caches as they are
  /// @returns whether verify() is possible: false if units change their own input and share memory
  virtual bool prepare_more(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch, bool /*all*/) {
    prepare(iteration, units, batch);
    return units == 1 || repeatable();
  }
  /// Starts that many units in order. They are complete when wait() returns.
  virtual void run(std::uint32_t units) = 0;
  virtual void wait() {}
  /// Returns whether run() returns before its units are complete; then a batch is one run().
  [[nodiscard]] virtual bool queues() const { return false; }
  /// Compares the output of the prepared units. @param iteration the one passed to prepare()
  virtual Verification verify(std::uint64_t iteration) = 0;
  /// Returns the device timeline, or null. Not null means that run() only queues, and isolated trials are
  /// timed on the device.
  virtual DeviceTimeline* timeline() { return nullptr; }
  /// Returns false if a unit changes its own input; then only the first unit after prepare() can be verified.
  [[nodiscard]] virtual bool repeatable() const { return true; }
  [[nodiscard]] virtual EngineChoice choice() const { return {}; }
  /// Adds the parts of the last unit, one value per name, with the same names every time.
  virtual void take_columns(OperationColumns& /*columns*/) {}
};

/// Environment of a workload.
struct WorkloadContext {
  Engine& engine;
  int rank = 0, ranks = 1;
  std::uint64_t seed = 0;
  std::uint64_t iteration = 0;  // Iteration whose data fill the buffers first.
  /// Units that this rank has run before, of any workload; rotating buffers continue from there.
  std::uint64_t units_done = 0;
  std::string_view script = {};  // Script of the request, set by create_workload; only valid during create().
};

struct WorkloadEntry {
  std::string_view name;
  /// Abilities that an engine must have, all of them.
  std::span<const Ability> needs;
  /// All axis names; requests with other axes are refused before create().
  std::span<const std::string_view> axes;
  /// @throws Error(kInvalidArgument) for impossible axes
  std::unique_ptr<Workload> (*create)(const WorkloadContext& context, const Axes& axes);
  /// Describes one unit for messages: "allreduce 64 MiB". @throws as create
  std::string (*describe)(const Axes& axes);
  /// Abilities of which the engine must have at least one; empty = none needed.
  std::span<const Ability> either = {};
};

}  // namespace collbench
