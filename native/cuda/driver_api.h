#pragma once
// The CUDA driver, opened at run time, without CUDA runtime and headers: see driver_functions.def.
#include <cstddef>
#include <cstdint>
#include <string>

namespace collbench::cuda {

inline constexpr int kCudaSuccess = 0, kCudaNotReady = 600;
inline constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;  // CUdevice_attribute
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kMpsEnabled = 133;  // since CUDA 12.0

/// Same layout as CUipcMemHandle: identifies device memory for another process.
struct IpcHandle {
  char bytes[64];
};

/// Same layout as CUlaunchAttribute; LaunchConfig has that of CUlaunchConfig.
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

/// Functions of the opened CUDA driver. All are set, except those that the list marks as optional.
struct DriverApi {
#define CUDA_FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#define CUDA_OPTIONAL CUDA_FUNCTION
#include "cuda/driver_functions.def"
#undef CUDA_OPTIONAL
#undef CUDA_FUNCTION
  std::string path;   // path of the library with links resolved
  bool fake = false;  // true: a fake driver (cuda/fake) that uses host memory; results are emulated

  /// Checks the result of a driver call. @param what name of the call, with its object if that helps
  /// @throws Error(kUnavailable) "cuMemAlloc_v2 failed with CUDA_ERROR_OUT_OF_MEMORY (2)"
  void check(int result, const char* what) const;
};

/// Opens libcuda.so.1, or the file in COLLBENCH_CUDA_LIBRARY (a fake driver), once per process. cuInit is not
/// called.
/// @param why_not set to the reason in one sentence if the result is null
/// @returns null if the driver is missing or lacks a function
const DriverApi* open_driver(std::string* why_not);
/// Returns the CUDA driver. @throws Error(kUnavailable) with the reason of open_driver() if there is none
const DriverApi& require_driver();

}  // namespace collbench::cuda
