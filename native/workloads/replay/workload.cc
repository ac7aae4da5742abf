// Workload whose unit is one step of a job: its computations and collectives in the order of the script,
// which comes with the request. Computations run on one timeline. Issued calls run on a timeline of their
// group, one after the other. `wait` and the end of a step wait for all of them. Axes:
//   job         name of the job, for people; the script has the content
//   computing   device (an imagined GPU computes; the core is free), core (the rank's thread computes)
//   computePercent, computeNs, calls, bytes, sentBytes   totals of a step, as the controller counts them
#include "workloads/workload.h"

#include "core/clock.h"
#include "core/error.h"
#include "engines/engine.h"
#include "workloads/replay/compute_time.h"
#include "workloads/replay/group_streams.h"
#include "workloads/replay/script.h"

namespace collbench {
namespace replay {
namespace {

constexpr Ability kNeeds[] = {Ability::kCollectives};
constexpr std::string_view kAxes[] = {"job",   "computing", "computePercent", "computeNs",
                                      "calls", "bytes",     "sentBytes"};
constexpr std::string_view kComputing[] = {"device", "core"};

ComputeMode computing_of(const Axes& axes) {
  return static_cast<ComputeMode>(axes.choice("computing", kComputing));
}

class Replay final : public Workload {
 public:
  Replay(const WorkloadContext& context, ComputeMode computing, Script script)
      : engine_(context.engine),
        computing_(computing),
        script_(std::move(script)),
        stop_([this] { engine_.stop_if_cancelled(); }),
        lanes_(engine_, script_, context.rank, context.ranks, context.seed) {
    lanes_.prepare(context.iteration);
  }

  void prepare(std::uint64_t iteration, std::uint32_t, std::uint32_t) override { lanes_.prepare(iteration); }
  void run(std::uint32_t units) override {
    for (std::uint32_t n = 0; n < units; ++n) step();
  }
  Verification verify(std::uint64_t iteration) override { return lanes_.verify(iteration); }
  [[nodiscard]] bool repeatable() const override { return lanes_.repeatable(); }

  void take_columns(OperationColumns& columns) override {
    columns["computing"].push_back(times_.computing);
    columns["exposed"].push_back(times_.exposed);
    columns["total"].push_back(times_.total);
    columns["issued"].push_back(static_cast<std::int64_t>(script_.calls.size()));
    if (const auto moving = lanes_.moving_ns()) columns["collectives"].push_back(*moving);
  }

 private:
  /// Durations in ns within one step of the job: `computing` of the imitated computations, `exposed` of waits
  /// for collectives (communication that nothing hides), `total` of the whole step.
  struct Times {
    std::int64_t computing = 0, exposed = 0, total = 0;
  };

  template <class Work>
  static void timed(std::int64_t& sum, Work work) {
    const std::int64_t began = now_ns();
    work();
    sum += now_ns() - began;
  }

  void step() {
    const std::int64_t began = now_ns();
    times_ = {};
    lanes_.begin();
    for (const replay::ScriptItem& item : script_.items) {
      if (item.what == ItemKind::kCompute)
        timed(times_.computing, [&] { replay::compute(computing_, item.ns, stop_); });
      else if (item.what == ItemKind::kWait)
        timed(times_.exposed, [&] { lanes_.wait(); });
      else
        lanes_.issue(item.number);
    }
    timed(times_.exposed, [&] { lanes_.end(); });
    times_.total = now_ns() - began;
  }

  Engine& engine_;
  const ComputeMode computing_;
  const Script script_;
  const std::function<void()> stop_;
  Times times_;
  GroupStreams lanes_;  // Destroyed first.
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  return std::make_unique<Replay>(context, computing_of(axes), replay::parse(context.script, context.ranks));
}

std::string words_of(const Axes& axes) {
  computing_of(axes);
  const auto job = axes.values().find("job");
  const auto* name = job == axes.values().end() ? nullptr : std::get_if<std::string>(&job->second);
  return "a step of " + (name == nullptr ? "the job" : name->substr(0, 100));
}

}  // namespace
}  // namespace replay

WorkloadEntry replay_workload() {
  return {"replay", replay::kNeeds, replay::kAxes, replay::create, replay::words_of};
}

}  // namespace collbench
