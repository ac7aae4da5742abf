#pragma once
#include <cstddef>

namespace collbench {

/// A computation that a workload runs on an engine's buffers, in two equal versions: a CUDA kernel for
/// engines on GPUs, and a function for engines on CPUs.
struct Computation {
  const char* source;  // CUDA C++ source without includes, for NVRTC.
  const char* kernel;  // Name of the extern "C" kernel in `source`; the kernel takes the arguments by value.
  std::size_t argument_bytes;
  /// The computation as a function for CPUs; complete when it returns. `arguments` is as for the kernel.
  void (*run)(const void* arguments);
};

}  // namespace collbench
