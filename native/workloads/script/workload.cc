// Workload whose unit is one step of a user's training program. Nothing is verified, because only the program
// knows what is right.
#include "workloads/workload.h"

#include "core/error.h"
#include "engines/engine.h"

namespace collbench {
namespace script {
namespace {

constexpr Ability kScriptNeeds[] = {Ability::kProgram};
constexpr std::string_view kScriptAxes[] = {"program", "items"};
constexpr std::int64_t kMaxItems = std::int64_t{1} << 40;

TrainingJob program_of(const Axes& axes) {
  TrainingJob job;
  job.model = axes.word("program");
  job.batch = axes.whole("items", 1, kMaxItems);
  return job;
}

class Script final : public Workload {
 public:
  Script(Engine& engine, const TrainingJob& job) : steps_(engine.train(job)) {}

  void prepare(std::uint64_t, std::uint32_t, std::uint32_t) override {}
  void run(std::uint32_t units) override { steps_->start(units); }
  void wait() override { steps_->wait(); }
  [[nodiscard]] bool queues() const override { return true; }
  Verification verify(std::uint64_t) override { return steps_->verify(); }

 private:
  std::unique_ptr<Training> steps_;
};

std::unique_ptr<Workload> create_script(const WorkloadContext& context, const Axes& axes) {
  return std::make_unique<Script>(context.engine, program_of(axes));
}

std::string script_in_words(const Axes& axes) { return "a step of " + program_of(axes).model; }

}  // namespace
}  // namespace script

WorkloadEntry script_workload() {
  return {"script", script::kScriptNeeds, script::kScriptAxes, script::create_script,
          script::script_in_words};
}

}  // namespace collbench
