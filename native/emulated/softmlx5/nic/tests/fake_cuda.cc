// A fake libcuda for the card's tests on machines without a GPU: the functions that gpu_copy.cc and
// gpu_test.cc call. Its "device memory" has addresses that no CPU can access; copies use a second mapping of
// it. Any other access crashes.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace {

struct Mapping {
  std::size_t bytes;
  std::byte* behind;
};
std::mutex mutex;
std::mutex copying;  // one copy at a time, as by one engine, so that an entry appears as a whole
std::map<std::uint64_t, Mapping> mappings;
thread_local void* current = nullptr;
int some_stream = 0;

/// Address in the second mapping, which a CPU may access.
std::byte* place_of(std::uint64_t address) {
  const std::lock_guard lock(mutex);
  auto above = mappings.upper_bound(address);
  if (above != mappings.begin()) {
    const auto& [begin, mapping] = *--above;
    if (address < begin + mapping.bytes) return mapping.behind + (address - begin);
  }
  return reinterpret_cast<std::byte*>(address);
}

bool is_device_memory(std::uint64_t address) {
  return place_of(address) != reinterpret_cast<std::byte*>(address);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

/// Distinguishes this library from a real libcuda.
int collbenchFakeCuda() { return 1; }

int cuInit(unsigned) { return 0; }
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &some_stream;
  return 0;
}
int cuCtxGetCurrent(void** context) {
  *context = current;
  return 0;
}
int cuCtxSetCurrent(void* context) {
  current = context;
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  if (getenv("COLLBENCH_FAKE_CUDA_NO_STREAM") != nullptr) return 2;  // CUDA_ERROR_OUT_OF_MEMORY
  *stream = &some_stream;
  return 0;
}
int cuStreamDestroy_v2(void*) { return 0; }
int cuStreamQuery(void*) { return 0; }
int cuStreamSynchronize(void*) { return 0; }
int cuMemHostRegister_v2(void*, std::size_t, unsigned) { return 801; }  // CUDA_ERROR_NOT_SUPPORTED

int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  const int file = memfd_create("device memory", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return 2;
  void* seen = mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0);
  void* behind = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (seen == MAP_FAILED || behind == MAP_FAILED) return 2;
  *address = reinterpret_cast<std::uintptr_t>(seen);
  const std::lock_guard lock(mutex);
  mappings[*address] = {bytes, static_cast<std::byte*>(behind)};
  return 0;
}

int cuPointerGetAttribute(void* value, int attribute, std::uint64_t address) {
  constexpr int kMemoryType = 2, kDeviceOrdinal = 9;
  if (!is_device_memory(address)) return 1;
  const unsigned answer = attribute == kMemoryType ? 2U : 0U;
  if (attribute != kMemoryType && attribute != kDeviceOrdinal) return 1;
  std::memcpy(value, &answer, sizeof answer);
  return 0;
}

int cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  if (current == nullptr) return 201;
  const std::lock_guard lock(copying);
  std::memmove(place_of(to), place_of(from), bytes);
  return 0;
}
}
#pragma GCC visibility pop
