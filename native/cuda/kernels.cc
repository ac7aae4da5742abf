#include "cuda/kernels.h"

#include <algorithm>
#include <vector>

#include "collectives/device/args.h"
#include "cuda/nvrtc_api.h"

namespace collbench::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMaxBlocks = 4096;

}  // namespace

Kernels::Kernels(Device& device, const NvrtcApi& nvrtc) : device_(device) {
  const std::vector<char> image = compile(nvrtc, pattern_device_source(), device.capability());
  const DriverApi& driver = device_.driver();
  driver.check(driver.module_load(&module_, image.data()), "cuModuleLoadData");
  const auto get = [&](void** function, const char* name) {
    driver.check(driver.module_function(function, module_, name), name);
  };
  get(&fill_, "collbench_fill");
  get(&poison_, "collbench_poison");
  get(&verify_, "collbench_verify");
  get(&hold_, "collbench_hold");
}

Kernels::~Kernels() {
  if (module_ != nullptr) device_.driver().module_unload(module_);
}

void Kernels::launch(void* function, std::uint64_t work, void** parameters) const {
  const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(work / (kThreads * 4), 1, kMaxBlocks));
  const DriverApi& driver = device_.driver();
  driver.check(
      driver.launch(function, blocks, 1, 1, kThreads, 1, 1, 0, device_.stream(), parameters, nullptr),
      "cuLaunchKernel");
}

void Kernels::hold(std::uint64_t flag, unsigned wanted, std::uint64_t gave_up,
                   std::uint64_t timeout_ns) const {
  void* parameters[] = {&flag, &wanted, &gave_up, &timeout_ns};
  const DriverApi& driver = device_.driver();
  driver.check(driver.launch(hold_, 1, 1, 1, 1, 1, 1, 0, device_.stream(), parameters, nullptr),
               "cuLaunchKernel");
}

}  // namespace collbench::cuda
