#pragma once
#include <cstddef>

namespace collbench {

/// Computation that a workload runs on memory of an engine: a kernel for GPUs, and a function that does the
/// same on hosts.
struct Computation {
  const char* source;  // CUDA C++ source without includes, for NVRTC.
  const char* kernel;  // Name of the extern "C" kernel in `source`; the kernel takes the arguments by value.
  std::size_t argument_bytes;
  /// Function for hosts. The work is complete when it returns.
  void (*run)(const void* arguments);
};

}  // namespace collbench
