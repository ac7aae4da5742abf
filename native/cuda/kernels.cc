#include "cuda/kernels.h"

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/device/args.h"
#include "core/error.h"

namespace collbench::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMostBlocks = 4096;

/// A program object of NVRTC.
class Program {
 public:
  Program(const NvrtcApi& nvrtc, const char* source) : nvrtc_(nvrtc) {
    if (nvrtc_.create(&program_, source, "collbench_pattern.cu", 0, nullptr, nullptr) != 0)
      throw Error(ErrorCode::kUnavailable, "NVRTC cannot make a program");
  }
  ~Program() { nvrtc_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::vector<char> compile(int capability) {
    const std::string architecture = "--gpu-architecture=sm_" + std::to_string(capability);
    const char* options[] = {architecture.c_str(), "--std=c++17", "-default-device"};
    if (nvrtc_.compile(program_, 3, options) != 0)
      throw Error(ErrorCode::kUnavailable,
                  "NVRTC cannot compile our kernels for " + architecture + ": " + log());
    std::size_t bytes = 0;
    std::vector<char> image;
    if (nvrtc_.image_size(program_, &bytes) == 0) image.resize(bytes);
    if (image.empty() || nvrtc_.image(program_, image.data()) != 0)
      throw Error(ErrorCode::kUnavailable, "NVRTC gives no image of our kernels");
    return image;
  }

 private:
  std::string log() const {
    std::size_t bytes = 0;
    if (nvrtc_.log_size(program_, &bytes) != 0 || bytes == 0) return "no log";
    std::string text(bytes, '\0');
    nvrtc_.log(program_, text.data());
    return text.substr(0, std::min<std::size_t>(1000, text.find('\0')));
  }
  const NvrtcApi& nvrtc_;
  void* program_ = nullptr;
};

}  // namespace

Kernels::Kernels(Device& device, const NvrtcApi& nvrtc) : device_(device) {
  const std::vector<char> image = Program(nvrtc, pattern_device_source()).compile(device.capability());
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
  const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(work / (kThreads * 4), 1, kMostBlocks));
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
