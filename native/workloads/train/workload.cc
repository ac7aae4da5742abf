// Workload whose unit is a step of data-parallel training: forward, backward, summing gradients over all
// ranks, optimizer. Verified by comparing the parameters, which must be equal on all ranks.
#include "workloads/workload.h"

#include "core/error.h"
#include "engines/engine.h"

namespace collbench {
namespace train {
namespace {

constexpr Ability kNeeds[] = {Ability::kTraining};
constexpr std::string_view kAxes[] = {"model",    "numerics", "image", "bucketMiB",
                                      "compiled", "observed", "batch"};
constexpr std::string_view kNumerics[] = {"fp32", "tf32", "amp-bf16", "bf16"};
constexpr std::string_view kObserved[] = {"none", "profiler"};
constexpr std::int64_t kMaxImages = 1 << 16, kMaxPixels = 1 << 14, kMaxMiB = 1 << 14;

TrainingJob job_of(const Axes& axes) {
  TrainingJob job;
  job.model = axes.word("model");
  job.numerics = kNumerics[axes.choice("numerics", kNumerics)];
  job.image = axes.whole("image", 1, kMaxPixels);
  if (!axes.is_null("bucketMiB")) job.bucket_mib = axes.whole("bucketMiB", 1, kMaxMiB);
  job.compiled = axes.flag("compiled");
  job.profiled = axes.choice("observed", kObserved) == 1;
  job.batch = axes.whole("batch", 1, kMaxImages);
  return job;
}

class Train final : public Workload {
 public:
  Train(Engine& engine, const TrainingJob& job) : training_(engine.train(job)) {}

  /// Prepares nothing, because every training step starts from the parameters that the previous step left,
  /// which are equal on all ranks.
  void prepare(std::uint64_t, std::uint32_t, std::uint32_t) override {}
  void run(std::uint32_t units) override { training_->start(units); }
  void wait() override { training_->wait(); }
  [[nodiscard]] bool queues() const override { return true; }
  Verification verify(std::uint64_t) override { return training_->verify(); }
  void take_columns(OperationColumns& columns) override { training_->take_columns(columns); }

 private:
  std::unique_ptr<Training> training_;
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  TrainingJob job = job_of(axes);
  job.seed = context.seed;
  return std::make_unique<Train>(context.engine, job);
}

std::string words_of(const Axes& axes) {
  const TrainingJob job = job_of(axes);
  return "a training step of " + job.model + ", batch " + std::to_string(job.batch);
}

}  // namespace
}  // namespace train

WorkloadEntry train_workload() {
  return {"train", train::kNeeds, train::kAxes, train::create, train::words_of};
}

}  // namespace collbench
