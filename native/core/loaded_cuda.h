#pragma once
// Functions of a libcuda that the host program has already loaded. Used by libraries in other programs'
// processes, which copy from and to GPU memory only if that program uses CUDA. Our own engines open libcuda
// through cuda/.
#include <cstddef>
#include <cstdint>

namespace collbench {

/// Functions of the CUDA driver API that our plugins call in other programs' processes. Each returns a
/// CUresult; 0 = success. `retain` is cuDevicePrimaryCtxRetain, `current` and `use` are cuCtxGetCurrent and
/// cuCtxSetCurrent, `copy` is cuMemcpyAsync.
struct LoadedCuda {
  int (*pointer_attribute)(void* value, int attribute, std::uint64_t address) = nullptr;
  int (*retain)(void** context, int device) = nullptr;
  int (*current)(void** context) = nullptr;
  int (*use)(void* context) = nullptr;
  int (*stream_create)(void** stream, unsigned flags) = nullptr;
  int (*stream_destroy)(void* stream) = nullptr;
  int (*stream_query)(void* stream) = nullptr;
  int (*copy)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) = nullptr;
  int (*host_register)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
};

/// Returns the functions of the libcuda that this process uses. The result is null if that libcuda lacks one
/// of them. It is also null if nothing has loaded libcuda yet, so that no memory can belong to a GPU. While
/// it is null, every call looks again. Thread-safe.
const LoadedCuda* loaded_cuda();

}  // namespace collbench
