#include <algorithm>
#include <optional>

#include "core/error.h"
#include "cuda/computations.h"
#include "cuda/concurrent_load/kinds.h"
#include "cuda/concurrent_load/queue.h"

namespace collbench::cuda {
namespace {

constexpr int kMultiprocessors = 16;      // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
constexpr unsigned kThreadsOfLoad = 512;  // with 8 values each they fill the pipelines of an SM
constexpr std::uint64_t kValues = 8;
constexpr unsigned kRounds = 4096;  // 75 us on an H200
constexpr unsigned kTwinRounds = 64;

struct Arguments {
  float* sink;
  unsigned rounds;
};

constexpr const char* kSource = R"cuda(
struct Arguments {
  float* sink;
  unsigned rounds;
};
extern "C" __global__ void __launch_bounds__(512) collbench_beside_compute(Arguments a) {
  float v[8];
  for (int i = 0; i < 8; ++i) v[i] = 1.0f + threadIdx.x * 1e-6f + i;
  for (unsigned round = 0; round < a.rounds; ++round)
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = fmaf(v[i], 0.9999f, 0.0001f);
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += v[i];
  // Never true, because the values stay between 1 and 10; keeps the compiler from removing the loop.
  if (sum < 0) *a.sink = sum;
}
)cuda";

/// Does at most kTwinRounds rounds of the kernel's work on the host, for fake GPUs. One thread works for the
/// whole grid, because the results are not used.
void twin(const void* arguments) {
  const auto& a = *static_cast<const Arguments*>(arguments);
  float value = 1;
  for (unsigned round = 0; round < std::min(a.rounds, kTwinRounds); ++round)
    value = value * 0.9999F + 0.0001F;
  if (value < 0) *a.sink = value;
}

constexpr Computation kComputation{kSource, "collbench_beside_compute", sizeof(Arguments), twin};

class Compute final : public concurrent_load::LoadTask {
 public:
  Compute(int gpu, unsigned blocks) : gpu_(gpu), blocks_(blocks) {}
  ~Compute() override = default;

  void prepare() override {
    device_.emplace(require_driver(), gpu_);
    memory_.emplace(device_->driver(), sizeof(float));
    computations_.emplace(*device_);
    queue_.emplace(*device_);
    launch();
    device_->drain();
  }
  std::uint64_t slice() override {
    const auto done = static_cast<std::uint64_t>(queue_->add([this] { launch(); }));
    return done * 2 * kValues * kRounds * kThreadsOfLoad * blocks_;
  }
  void pause() override { queue_->drain(); }

 private:
  void launch() {
    const Arguments arguments{static_cast<float*>(memory_->data()), kRounds};
    computations_->launch(kComputation, &arguments, Grid{blocks_, kThreadsOfLoad, false});
  }

  const int gpu_;
  const unsigned blocks_;
  std::optional<Device> device_;
  std::optional<DeviceMemory> memory_;
  std::optional<Computations> computations_;
  std::optional<TwoDeep> queue_;
};

int multiprocessors_of(int gpu) {
  const DriverApi& driver = require_driver();
  int device = 0, count = 0;
  driver.check(driver.device_get(&device, gpu), "cuDeviceGet");
  driver.check(driver.device_attribute(&count, kMultiprocessors, device), "cuDeviceGetAttribute");
  return std::max(1, count);
}

}  // namespace

std::vector<std::unique_ptr<concurrent_load::LoadTask>> compute_load(
    const concurrent_load::LoadContext& context) {
  const int gpu = current_gpu();
  const int most = multiprocessors_of(gpu);
  std::vector<std::unique_ptr<concurrent_load::LoadTask>> works;
  works.push_back(
      std::make_unique<Compute>(gpu, static_cast<unsigned>(load_amount(context, "compute", most, most))));
  return works;
}

}  // namespace collbench::cuda
