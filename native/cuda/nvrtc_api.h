#pragma once
// NVRTC, opened at run time to compile the fill and compare kernels. Optional: without it the host does that
// work.
#include <cstddef>
#include <string>
#include <vector>

namespace collbench::cuda {

/// Functions of the opened NVRTC library. All are set, except those that are marked as optional.
struct NvrtcApi {
#define NVRTC_FUNCTION(name, symbol, parameters) int(*name) parameters = nullptr;
#include "cuda/nvrtc_functions.def"
#undef NVRTC_FUNCTION
  const char* (*error_string)(int result) = nullptr;  // may be nullptr
  std::string path;                                   // path of the library with links resolved
  int major = 0, minor = 0;                           // CUDA version of the compiler: 13, 0

  /// Checks the result of an NVRTC call. @param what name of the call
  /// @throws Error(kUnavailable) "nvrtcCompileProgram failed with NVRTC_ERROR_COMPILATION (6)"
  void check(int result, const char* what) const;
};

/// Opens the NVRTC that suits the driver (find_nvrtc), or the file in COLLBENCH_NVRTC_LIBRARY (a fake). It is
/// opened once per process, so only the `cuda_major` of the first call has an effect.
/// @param cuda_major CUDA major version of the driver
/// @param why_not set to the reason in one sentence if the result is null
/// @returns null if NVRTC is missing or unusable
const NvrtcApi* open_nvrtc(int cuda_major, std::string* why_not);

/// Compiles CUDA source with NVRTC for GPUs of this compute capability (90 for 9.0) and returns the binary to
/// load.
/// @throws Error(kUnavailable) with at most 1000 characters of the compiler's log
std::vector<char> compile(const NvrtcApi& nvrtc, const char* source, int capability);

}  // namespace collbench::cuda
