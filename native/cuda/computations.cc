#include "cuda/computations.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "core/error.h"
#include "cuda/nvrtc_api.h"

namespace collbench::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMaxBlocks = 0x7fffffff;
constexpr int kOverlapsFrom = 90;  // compute capability

/// Function and arguments of a computation that is queued on the stream of a fake GPU, which runs it on the
/// host (Computation::run).
struct QueuedTwin {
  void (*run)(const void* arguments);
  std::vector<std::byte> arguments;
};

void run_queued(void* data) {
  const std::unique_ptr<QueuedTwin> queued(static_cast<QueuedTwin*>(data));
  queued->run(queued->arguments.data());
}

}  // namespace

Computations::~Computations() {
  for (const auto& [source, module] : modules_) device_.driver().module_unload(module);
}

void* Computations::function_of(const Computation& computation) {
  const DriverApi& driver = device_.driver();
  if (const auto known = functions_.find({computation.source, computation.kernel}); known != functions_.end())
    return known->second;
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
  return functions_[{computation.source, computation.kernel}] = function;
}

void Computations::launch(const Computation& computation, const void* arguments, std::uint64_t threads) {
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>((threads + kThreads - 1) / kThreads, 1, kMaxBlocks));
  launch(computation, arguments, Grid{blocks, kThreads, false});
}

void Computations::launch(const Computation& computation, const void* arguments, const Grid& grid) {
  const DriverApi& driver = device_.driver();
  const auto* bytes = static_cast<const std::byte*>(arguments);
  std::vector<std::byte> copy(bytes, bytes + computation.argument_bytes);
  if (driver.fake) {
    auto queued = std::make_unique<QueuedTwin>(QueuedTwin{computation.run, std::move(copy)});
    driver.check(driver.launch_host(device_.stream(), run_queued, queued.get()), "cuLaunchHostFunc");
    queued.release();
    return;
  }
  void* parameters[] = {copy.data()};
  void* const function = function_of(computation);
  if (!grid.overlaps || driver.launch_with == nullptr || device_.capability() < kOverlapsFrom) {
    driver.check(driver.launch(function, grid.blocks, 1, 1, grid.threads, 1, 1, 0, device_.stream(),
                               parameters, nullptr),
                 "cuLaunchKernel");
    return;
  }
  LaunchAttribute overlaps{kOverlapsAttribute, 0, {1}};
  const LaunchConfig config{{grid.blocks, 1, 1}, {grid.threads, 1, 1}, 0, device_.stream(), &overlaps, 1};
  driver.check(driver.launch_with(&config, function, parameters, nullptr), "cuLaunchKernelEx");
}

}  // namespace collbench::cuda
