#pragma once
// NVRTC, opened at run time to compile the fill and compare kernels. Optional: without it the host does that
// work.
#include <cstddef>
#include <string>

namespace collbench::cuda {

/// The opened compiler; every function is set, unless noted otherwise.
struct NvrtcApi {
#define NVRTC_FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#include "cuda/nvrtc_functions.def"
#undef NVRTC_FUNCTION
  const char* (*error_string)(int result) = nullptr;  // may be nullptr
  std::string path;                                   // path of the library with links resolved
  int major = 0, minor = 0;                           // CUDA version of the compiler: 13, 0

  /// @throws Error(kUnavailable) "nvrtcCompileProgram failed with NVRTC_ERROR_COMPILATION (6)"
  void check(int result, const char* what) const;
};

/// Opens the NVRTC that fits the driver (find_nvrtc), or the file in COLLBENCH_NVRTC_LIBRARY (a fake). Opened
/// once per process, so the first call's `cuda_major` counts.
/// @returns nullptr if it is missing or unusable; `why_not` then has the reason in one sentence
const NvrtcApi* open_nvrtc(int cuda_major, std::string* why_not);

}  // namespace collbench::cuda
