#pragma once
// NVRTC opened at run time, to compile the fill and compare kernels. Optional: without it the host does that
// work.
#include <cstddef>
#include <string>

namespace collbench::cuda {

/// The opened compiler; every function is there.
struct NvrtcApi {
#define NVRTC_FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#include "cuda/nvrtc_functions.def"
#undef NVRTC_FUNCTION
  const char* (*error_string)(int result) = nullptr;  // may be nullptr
  std::string path;                                   // real path of the library
  int major = 0, minor = 0;                           // CUDA version that it compiles for: 13, 0

  /// @throws Error(kUnavailable) "nvrtcCompileProgram failed with NVRTC_ERROR_COMPILATION (6)"
  void check(int result, const char* what) const;
};

/// The NVRTC that fits the driver (find_nvrtc), or what COLLBENCH_NVRTC_LIBRARY names (a fake); opened
/// once per process, so `cuda_major` of the first call counts.
/// @return nullptr when there is none or it is not usable: `why_not` then says so in one sentence
const NvrtcApi* open_nvrtc(int cuda_major, std::string* why_not);

}  // namespace collbench::cuda
