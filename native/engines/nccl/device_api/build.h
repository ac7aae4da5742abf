#pragma once
// collectives.cu compiled on the node, once per NCCL release, GPU kind and compiler; then it lies in a cache.
#include <functional>
#include <string>

#include "engines/nccl/device_api/toolchain.h"

namespace collbench::nccl {

/// abi.h and collectives.cu as one text.
const char* device_api_source() noexcept;

struct DeviceApiBuild {
  Toolchain tools;
  int nccl_version = 0;
  int capability = 0;  // 90: code for sm_90 and nothing else
  std::string source;
  std::function<bool()> cancelled;  // true ends the compiler; may be empty
};

/// Path of the shared object. Ranks and runs at once share the work of one: the others wait for its lock. A
/// broken compile leaves nothing in the cache.
/// @throws Error(kUnavailable) with the compiler's words, or why there is no private cache folder;
/// Error(kCancelled)
std::string build_device_api(const DeviceApiBuild& build);

}  // namespace collbench::nccl
