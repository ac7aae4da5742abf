#pragma once
// Tools for compiling against NCCL's device API: nvcc, its host compiler, and the headers of the libnccl in
// use.
#include <functional>
#include <string>

namespace collbench::nccl {

struct DeviceApiToolchain {
  std::string nvcc;     // Path of the program.
  std::string include;  // Folder of nccl.h and nccl_device.h.
};

struct DeviceApiToolchainSearch {
  DeviceApiToolchain found;  // Complete only if why_not is empty.
  std::string why_not;       // Sentences that name each missing piece and where it comes from; "" = complete.
};

/// Looks for nvcc and NCCL's headers in these folders, without running anything.
/// nvcc: $CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin, CUDA packages next to a Python package of
/// NCCL.
/// Headers: next to the library (../include, ../../include), $NCCL_HOME, $CUDA_HOME, $CUDA_PATH,
/// /usr/local/cuda, /usr/include. The first folder whose headers have the library's NCCL_VERSION_CODE is
/// taken, because structures differ between releases.
/// @param nccl_path path of the library @param nccl_version result of ncclGetVersion()
DeviceApiToolchainSearch find_toolchain(const std::string& nccl_path, int nccl_version);

/// Returns the CUDA source of the kernels on NCCL's device API: abi.h followed by collectives.cu.
const char* device_api_source() noexcept;

struct DeviceApiBuild {
  DeviceApiToolchain tools;
  int nccl_version = 0;
  int capability = 0;  // Compute capability: 90 = code for sm_90 only.
  std::string source;
  std::function<bool()> cancelled;  // Polled while the compiler runs; true kills it. May be empty.
};

/// Returns the path of the compiled shared object, from the cache if possible. If several ranks or runs need
/// it at the same time, one compiles and the others wait for its lock. A failed compilation leaves nothing in
/// the cache.
/// @throws Error(kUnavailable) with the compiler's output, or with the reason why there is no private cache
/// folder; Error(kCancelled)
std::string build_device_api(const DeviceApiBuild& build);

}  // namespace collbench::nccl
