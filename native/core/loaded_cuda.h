#pragma once
// libcuda of a program that has loaded it itself: for libraries that are in processes of others and copy from
// and to GPUs only where there is one. Engines of our own open theirs (cuda/).
#include <cstddef>
#include <cstdint>

namespace collbench {

/// Results are CUresult, 0 = success.
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

/// nullptr where nobody has loaded it: then no memory is a GPU's. Asked again, it looks again until it is
/// there.
const LoadedCuda* loaded_cuda();

}  // namespace collbench
