#pragma once
// Modules of the fake: which of the known kernels an image has. A kernel runs as host code on its stream's
// thread.
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cuda/fake/driver/device.h"

namespace collbench::cuda_fake {

/// How a launch was shaped; blocks and threads of x only, which is all that these kernels use.
struct LaunchShape {
  unsigned blocks = 1, threads = 1;
};

/// Parameters as copied when the launch was queued, in order.
using Parameters = std::vector<std::vector<std::byte>>;

struct Kernel {
  const char* name;
  std::vector<std::size_t> parameter_bytes;
  /// Runs the whole grid. @return CUresult; kIllegalAddress for a pointer outside every allocation
  int (*run)(const LaunchShape& shape, const Parameters& parameters);
};
/// nullptr when the fake has no host form of it.
const Kernel* find_kernel(const std::string& name);

struct Function {
  const Kernel* kernel = nullptr;
  Device* device = nullptr;
};

struct Module {
  Device* device = nullptr;
  std::set<std::string> names;
  std::vector<void*> functions;  // handles given out; they end with the module
};

}  // namespace collbench::cuda_fake
