#pragma once
// The CUDA driver opened at run time. No CUDA runtime, no headers: see driver_functions.def.
#include <cstddef>
#include <cstdint>
#include <string>

namespace collbench::cuda {

inline constexpr int kCudaSuccess = 0, kCudaNotReady = 600;
inline constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;  // CUdevice_attribute

/// CUipcMemHandle: memory of a device, for another process.
struct IpcHandle {
  char bytes[64];
};

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id;
  int unused;
  alignas(8) int value[16];
};
inline constexpr int kOverlapsAttribute = 6;  // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
struct LaunchConfig {
  unsigned grid[3], block[3], shared;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// The opened driver; every function is there, but for those that the list calls optional.
struct DriverApi {
#define CUDA_FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#define CUDA_OPTIONAL CUDA_FUNCTION
#include "cuda/driver_functions.def"
#undef CUDA_OPTIONAL
#undef CUDA_FUNCTION
  std::string path;   // real path of the library
  bool fake = false;  // host memory stands in for GPUs (cuda/fake): what runs there is emulated

  /// @throws Error(kUnavailable) "cuMemAlloc_v2 failed with CUDA_ERROR_OUT_OF_MEMORY (2)"; `what` is the
  /// call, with
  ///         what it was about where that helps
  void check(int result, const char* what) const;
};

/// libcuda.so.1, or what COLLBENCH_CUDA_LIBRARY names (a fake); opened once per process, cuInit not
/// yet called.
/// @return nullptr when there is none or it lacks a function: `why_not` then says so in one sentence
const DriverApi* open_driver(std::string* why_not);
/// @throws Error(kUnavailable) with that sentence
const DriverApi& require_driver();

}  // namespace collbench::cuda
