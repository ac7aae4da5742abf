#pragma once
#include <cstddef>

namespace collbench {

/// Work on an engine's memory that its caller brings along: a kernel for GPUs and its twin for hosts.
struct Computation {
  const char* source;  // CUDA C++ without includes, for NVRTC
  const char* kernel;  // extern "C" function in it, which takes the arguments by value
  std::size_t argument_bytes;
  void (*run)(const void* arguments);  // the twin: all of it, complete when it returns
};

}  // namespace collbench
