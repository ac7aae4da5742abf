#include <doctest/doctest.h>

#include "core/error.h"
#include "workloads/registry.h"
#include "workloads/workload.h"

using namespace collbench;

namespace {

/// Engine that counts steps; its parameters differ between ranks from the third step on.
class CountingEngine final : public Engine {
 public:
  struct StepCounts {
    TrainingJob job;
    std::uint32_t started = 0, completed = 0;
  };
  std::unique_ptr<Training> train(const TrainingJob& job) override {
    class CountingTraining final : public Training {
     public:
      explicit CountingTraining(StepCounts& seen) : seen_(seen) {}
      void start(std::uint32_t steps) override { seen_.started += steps; }
      void wait() override { seen_.completed = seen_.started; }
      Verification verify() override { return {4, seen_.completed > 2 ? 1U : 0U, 0, "", "", ""}; }
      void take_columns(OperationColumns& columns) override { columns["collectives"].push_back(3); }

     private:
      StepCounts& seen_;
    };
    seen.job = job;
    return std::make_unique<CountingTraining>(seen);
  }
  [[nodiscard]] DeviceProperties device() const override { return {}; }

  StepCounts seen;
};

const EngineEntry kCounting{"counting", nullptr,
                            [] { return Abilities{{Ability::kTraining, {{"numerics", {"fp32", "bf16"}}}}}; }};

Axes axes_with(const std::string& numerics, AxisValue bucket = {}) {
  return {{"model", std::string("resnet50")}, {"numerics", numerics}, {"image", std::int64_t{64}},
          {"bucketMiB", std::move(bucket)},   {"compiled", false},    {"observed", std::string("profiler")},
          {"batch", std::int64_t{8}}};
}

}  // namespace

TEST_CASE("a step is the unit: several are started as one, complete after the wait, and verified") {
  CountingEngine engine;
  const auto workload =
      create_workload(kCounting, {"train", axes_with("bf16", std::int64_t{50})}, {engine, 0, 2, 7, 0, 0});
  CHECK(engine.seen.job.model == "resnet50");
  CHECK(engine.seen.job.batch == 8);
  CHECK(engine.seen.job.bucket_mib == 50);
  CHECK(engine.seen.job.profiled);
  CHECK(engine.seen.job.seed == 7);
  CHECK(workload->queues());
  workload->run(2);
  CHECK(engine.seen.completed == 0);
  workload->wait();
  CHECK(engine.seen.completed == 2);
  CHECK(workload->verify(0).wrong == 0);
  workload->run(1);
  workload->wait();
  CHECK(workload->verify(0).wrong == 1);
  OperationColumns columns;
  workload->take_columns(columns);
  CHECK(columns.at("collectives") == std::vector<std::int64_t>{3});
}

TEST_CASE("axes that cannot be, and numerics that the engine lacks, are refused") {
  CountingEngine engine;
  const auto made = [&](const Axes& axes) {
    return create_workload(kCounting, {"train", axes}, {engine, 0, 2, 0, 0, 0});
  };
  CHECK_THROWS_AS(made(axes_with("tf32")), Error);
  CHECK_THROWS_AS(made(axes_with("fp32", std::int64_t{0})), Error);
  CHECK_FALSE(made(axes_with("fp32")) == nullptr);
  CHECK_FALSE(engine.seen.job.bucket_mib.has_value());
  CHECK(describe({"train", axes_with("fp32")}) == "a training step of resnet50, batch 8");
}
