#include "cuda/computations.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "core/error.h"
#include "cuda/compile.h"
#include "cuda/nvrtc_api.h"

namespace collbench::cuda {
namespace {

constexpr std::uint64_t kThreads = 256;
constexpr std::uint64_t kMostBlocks = 0x7fffffff;

/// The twin on the host, queued: what a fake GPU computes.
struct Queued {
  void (*run)(const void* arguments);
  std::vector<std::byte> arguments;
};

void run_queued(void* data) {
  const std::unique_ptr<Queued> queued(static_cast<Queued*>(data));
  queued->run(queued->arguments.data());
}

}  // namespace

Computations::~Computations() {
  for (const auto& [source, module] : modules_) device_.driver().module_unload(module);
}

void* Computations::function_of(const Computation& computation) {
  const DriverApi& driver = device_.driver();
  if (const auto known = functions_.find(computation.kernel); known != functions_.end()) return known->second;
  void* module = nullptr;
  if (const auto known = modules_.find(computation.source); known != modules_.end()) {
    module = known->second;
  } else {
    int version = 0;
    driver.check(driver.driver_version(&version), "cuDriverGetVersion");
    std::string why_not;
    const NvrtcApi* nvrtc = open_nvrtc(version / 1000, &why_not);
    if (nvrtc == nullptr)
      throw Error(ErrorCode::kUnavailable,
                  "this workload computes on the GPU, which needs NVRTC: " + why_not);
    const std::vector<char> image = compile(*nvrtc, computation.source, device_.capability());
    driver.check(driver.module_load(&module, image.data()), "cuModuleLoadData");
    modules_[computation.source] = module;
  }
  void* function = nullptr;
  driver.check(driver.module_function(&function, module, computation.kernel), computation.kernel);
  return functions_[computation.kernel] = function;
}

void Computations::launch(const Computation& computation, const void* arguments, std::uint64_t threads) {
  const DriverApi& driver = device_.driver();
  const auto* bytes = static_cast<const std::byte*>(arguments);
  std::vector<std::byte> copy(bytes, bytes + computation.argument_bytes);
  if (driver.fake) {
    auto queued = std::make_unique<Queued>(Queued{computation.run, std::move(copy)});
    driver.check(driver.launch_host(device_.stream(), run_queued, queued.get()), "cuLaunchHostFunc");
    queued.release();
    return;
  }
  void* parameters[] = {copy.data()};
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>((threads + kThreads - 1) / kThreads, 1, kMostBlocks));
  driver.check(driver.launch(function_of(computation), blocks, 1, 1, kThreads, 1, 1, 0, device_.stream(),
                             parameters, nullptr),
               "cuLaunchKernel");
}

}  // namespace collbench::cuda
