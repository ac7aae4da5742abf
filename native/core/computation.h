#pragma once
#include <cstddef>

namespace collbench {

/// Computation that a workload runs in an engine's memory: a kernel for GPUs and the equivalent function for
/// hosts.
struct Computation {
  const char* source;  // CUDA C++ source without includes, for NVRTC.
  const char* kernel;  // Name of the extern "C" kernel in `source`; the kernel takes the arguments by value.
  std::size_t argument_bytes;
  /// Does the same work on the host; the work is complete when it returns.
  void (*run)(const void* arguments);
};

}  // namespace collbench
