#pragma once
// Compiles collectives.cu on the node, once per NCCL release, GPU architecture and compiler; results are
// cached.
#include <functional>
#include <string>

#include "engines/nccl/device_api/toolchain.h"

namespace collbench::nccl {

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
