#pragma once
// NVSHMEM on this node: its host library, headers and device library, and nvcc to compile against them.
#include <functional>
#include <string>

#include "cuda/search.h"

namespace collbench::nvshmem {

/// The text of device/, one file behind the other.
const char* kernels_source() noexcept;

/// libnvshmem_host.so.3: --nvshmem (file, folder, or prefix with lib/), NVSHMEM_HOME, NVSHMEM_PREFIX,
/// LD_LIBRARY_PATH, Python packages (nvidia/nvshmem/lib), CUDA folders, the packages of a distribution.
cuda::Found find_nvshmem(const std::string& wanted);

struct Toolchain {
  std::string library;  // path of libnvshmem_host.so.3, links resolved
  std::string include;  // folder of nvshmem.h
  std::string device;   // folder of libnvshmem_device.a
  std::string version;  // of the headers: "3.4.5"; "" = they do not say
  std::string nvcc;
};

struct ToolchainLook {
  Toolchain found;      // complete when why_not is empty
  std::string how;      // what led to the library
  std::string why_not;  // sentences that name each missing piece and where it comes from
};

/// Looks for files only, runs nothing. @param wanted as find_nvshmem()
ToolchainLook find_toolchain(const std::string& wanted);

/// Path of the shared object with the kernels, compiled now or before (cuda/nvcc/build.h); the first time
/// takes half a minute. @throws Error(kUnavailable) with the compiler's words, Error(kCancelled)
std::string build_kernels(const Toolchain& tools, int capability, const std::function<bool()>& cancelled);

}  // namespace collbench::nvshmem
