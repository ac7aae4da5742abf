#pragma once
// NVSHMEM on this node: host library, headers, device library, and nvcc to compile against them.
#include <functional>
#include <string>

#include "cuda/search.h"

namespace collbench::nvshmem {

/// Returns the files of device/ as one text.
const char* kernels_source() noexcept;

/// Finds libnvshmem_host.so.3: --nvshmem (file, folder, or prefix with lib/), NVSHMEM_HOME, NVSHMEM_PREFIX,
/// LD_LIBRARY_PATH, Python packages (nvidia/nvshmem/lib), CUDA folders, packages of the distribution.
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

/// Looks for files and runs nothing. @param wanted as in find_nvshmem()
NvshmemToolchainSearch find_toolchain(const std::string& wanted);

/// Returns the path of the shared object with the kernels, compiled or from the cache (cuda/nvcc/build.h);
/// the first time takes half a minute.
/// @throws Error(kUnavailable) with the compiler's output, Error(kCancelled)
std::string build_kernels(const NvshmemToolchain& tools, int capability,
                          const std::function<bool()>& cancelled);

}  // namespace collbench::nvshmem
