#pragma once
// A workload is what is measured: units of work, and how their result is verified. Written once against
// Engine; the trial loop (measure/) times its units and knows nothing else of it. Adding one: a folder
// whose workload.cc defines NAME_workload(), which CMake finds. Where it needs what engines do not have yet,
// engine.h gets a primitive and engines/ability.h an ability.
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

/// What `measure` asks for.
struct WorkloadRequest {
  std::string name;
  Axes axes;
  /// What a unit does, item by item, where axes cannot say it; the workload's own words. "" = it has none.
  std::string script = {};
  bool operator==(const WorkloadRequest&) const = default;
};

/// What the engine chose for a unit ("ring", "Simple"); "" = it has nothing to choose, or does not report it.
struct Choice {
  std::string algorithm, protocol;
};

/// One per rank and request. Its constructor takes buffers and fills them, so that pages are touched and
/// numbers are sane before the clock runs.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Fresh input and poisoned output of the unit that will be verified: the `units`-th from now, the last of
  /// a run() of `batch` units.
  virtual void prepare(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch) = 0;
  /// The same of more of these units where they can have memory beside each other, each with data of its own
  /// (`iteration` and those after it); verify() compares all of them.
  /// @param all false: those of the last batch, and no more than leave caches as they are
  /// @returns whether verify() can: false where units change their own input, and share memory
  virtual bool prepare_more(std::uint64_t iteration, std::uint32_t units, std::uint32_t batch, bool /*all*/) {
    prepare(iteration, units, batch);
    return units == 1 || repeatable();
  }
  /// Starts that many units in order; they are complete when wait() returns.
  virtual void run(std::uint32_t units) = 0;
  virtual void wait() {}
  /// run() returns before its units are complete, so that a batch of them is one run().
  [[nodiscard]] virtual bool queues() const { return false; }
  /// Compares the output of what was prepared. @param iteration that of its prepare()
  virtual Verification verify(std::uint64_t iteration) = 0;
  /// Not null: run() only queues, and isolated trials are timed on the device.
  virtual DeviceTimeline* timeline() { return nullptr; }
  /// False: a unit changes its own input, so that only the first unit after prepare() can be verified.
  [[nodiscard]] virtual bool repeatable() const { return true; }
  [[nodiscard]] virtual Choice choice() const { return {}; }
  /// Adds the parts of the last unit: one value to each of its names, the same names every time.
  virtual void take_columns(Columns& /*columns*/) {}
};

/// Where a workload runs.
struct WorkloadContext {
  Engine& engine;
  int rank = 0, ranks = 1;
  std::uint64_t seed = 0;
  std::uint64_t iteration = 0;   // data of the first filling
  std::uint64_t units_done = 0;  // by this rank before, of any workload: rotating buffers continue from there
  std::string_view script = {};  // of the request, as create_workload sets it; gone after create()
};

struct WorkloadEntry {
  std::string_view name;
  /// Engines that have all of these offer it.
  std::span<const Ability> needs;
  std::span<const std::string_view> axes;  // all of them; others are refused before create()
  /// @throws Error(kInvalidArgument) for axes that cannot be
  std::unique_ptr<Workload> (*create)(const WorkloadContext& context, const Axes& axes);
  /// "allreduce 64 MiB": one unit, for people. @throws as create
  std::string (*in_words)(const Axes& axes);
  /// And one of these, where there are some.
  std::span<const Ability> either = {};
};

}  // namespace collbench
