#pragma once
// NVSHMEM on this node: host library, headers, device library, and nvcc to compile against them.
#include <functional>
#include <string>

#include "cuda/search.h"

namespace collbench::nvshmem {

/// Returns the CUDA source of this engine's kernels: all files of the folder device/, one after the other.
const char* kernels_source() noexcept;

/// Looks for libnvshmem_host.so.3, in this order: `wanted`, NVSHMEM_HOME, NVSHMEM_PREFIX, LD_LIBRARY_PATH,
/// Python packages (nvidia/nvshmem/lib), CUDA folders, packages of the distribution.
/// @param wanted option --nvshmem: a file, a folder, or a prefix with lib/; "" = not given
cuda::LibrarySearch find_nvshmem(const std::string& wanted);

struct NvshmemToolchain {
  std::string library;  // Path of libnvshmem_host.so.3, links resolved.
  std::string include;  // Folder of nvshmem.h.
  std::string device;   // Folder of libnvshmem_device.a.
  std::string version;  // Version in the headers: "3.4.5"; "" = not stated.
  std::string nvcc;
};

struct NvshmemToolchainSearch {
  NvshmemToolchain found;  // Complete only if why_not is empty.
  std::string how;         // Which search step found the library.
  std::string why_not;     // Sentences that name each missing piece and where it comes from; "" = complete.
};

/// Looks for NVSHMEM, its headers, its device library and nvcc, without running anything.
/// @param wanted as for find_nvshmem()
NvshmemToolchainSearch find_toolchain(const std::string& wanted);

/// Returns the path of the shared object with this engine's kernels, compiled by nvcc (half a minute) or from
/// the cache.
/// @param capability compute capability of the GPU: 90 for 9.0
/// @throws Error(kUnavailable) with the compiler's output, Error(kCancelled)
std::string build_kernels(const NvshmemToolchain& tools, int capability,
                          const std::function<bool()>& cancelled);

}  // namespace collbench::nvshmem
