// Allocations, copies and fills.
#include "cuda/fake/driver/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/fake/driver/stream.h"
#include "cuda/fake/fake_cuda.h"

namespace collbench::cuda_fake {
namespace {

constexpr std::size_t kPage = 4096;
/// Byte that fills new device memory and pinned memory. It is not 0, so that code which relies on zeros is
/// found.
constexpr int kMarkerByte = 0xDB;
/// Allocations larger than kMarkedWhole bytes are filled only for kMarkedEnd bytes at both ends, so that
/// memory that is not used is never touched.
constexpr std::size_t kMarkedWhole = 8 << 20, kMarkedEnd = 1 << 20;

std::mutex table_mutex;
// never destroyed, because streams outlive main()
auto* const table = new std::map<std::uintptr_t, Allocation>;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// Creates an unnamed file of this length, which other processes can open (ipc.cc). @returns its descriptor;
/// -1 = failed, so other processes cannot access the memory
int file_of(std::size_t bytes) {
  const int file = memfd_create("cuda-fake", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  close(file);
  return -1;
}

int allocate(MemoryKind kind, void** memory, std::size_t bytes) {
  FakeDevice* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  if (const int result = check_no_capture(); result != kSuccess) return result;
  if (bytes == 0) return kInvalidValue;
  const std::size_t charged = kind == MemoryKind::kPinned ? 0 : whole_pages(bytes);
  if (device->used_bytes.fetch_add(charged) + charged > kDeviceBytes) {
    device->used_bytes -= charged;
    return kOutOfMemory;
  }
  const int file = kind == MemoryKind::kDevice ? file_of(whole_pages(bytes)) : -1;
  const int shared = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void* const pages =
      mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, shared | MAP_NORESERVE, file, 0);
  if (pages == MAP_FAILED) {
    if (file >= 0) close(file);
    device->used_bytes -= charged;
    return kOutOfMemory;
  }
  *memory = pages;
  const std::size_t end = bytes <= kMarkedWhole ? bytes : kMarkedEnd;
  std::memset(*memory, kMarkerByte, end);
  std::memset(static_cast<std::byte*>(*memory) + bytes - end, kMarkerByte, end);
  const std::lock_guard lock(table_mutex);
  (*table)[reinterpret_cast<std::uintptr_t>(*memory)] = {bytes, device, kind, true, file};
  return kSuccess;
}

/// Frees memory. Like the driver, it first waits until the device is idle, because queued work may use the
/// memory.
int release(MemoryKind kind, void* memory) {
  FakeDevice* device = nullptr;
  if (const int result = require_any_context(device); result != kSuccess) return result;
  if (const int result = check_no_capture(); result != kSuccess) return result;
  Allocation found;
  if (!find_memory(memory, 0, &found) || found.kind != kind) return kInvalidValue;
  wait_for_device(found.device);
  {
    const std::lock_guard lock(table_mutex);
    if (table->erase(reinterpret_cast<std::uintptr_t>(memory)) == 0) return kInvalidValue;
  }
  munmap(memory, whole_pages(found.bytes));
  if (found.file >= 0) close(found.file);
  if (kind != MemoryKind::kPinned) found.device->used_bytes -= whole_pages(found.bytes);
  return kSuccess;
}

bool is_host(MemoryKind kind) { return kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered; }

bool is_pinned(const void* memory, std::size_t bytes) {
  Allocation found;
  return find_memory(memory, bytes, &found) && is_host(found.kind);
}

/// Gets the stream for a call and checks that [address, address + bytes) is within one allocation, of any
/// device.
/// @returns 0 or the error
int stream_for(void* handle, std::uint64_t address, std::size_t bytes, std::shared_ptr<Stream>& stream) {
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  return find_memory(reinterpret_cast<const void*>(address), bytes) ? kSuccess : kInvalidValue;
}

}  // namespace

bool find_memory(const void* memory, std::size_t bytes, Allocation* found) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(table_mutex);
  auto at = table->upper_bound(address);
  if (at == table->begin()) return false;
  --at;
  const std::size_t offset = address - at->first;
  if (offset > at->second.bytes || bytes > at->second.bytes - offset) return false;
  if (found != nullptr) *found = at->second;
  return true;
}

int count_memory(bool pinned) {
  const std::lock_guard lock(table_mutex);
  return static_cast<int>(std::count_if(table->begin(), table->end(), [pinned](const auto& entry) {
    return is_host(entry.second.kind) == pinned;
  }));
}

}  // namespace collbench::cuda_fake

using namespace collbench::cuda_fake;

FAKE_EXPORT int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  void* memory = nullptr;
  const int result = allocate(MemoryKind::kDevice, &memory, bytes);
  *address = reinterpret_cast<std::uint64_t>(memory);
  return result;
}
FAKE_EXPORT int cuMemFree_v2(std::uint64_t address) {
  return release(MemoryKind::kDevice, reinterpret_cast<void*>(address));
}

FAKE_EXPORT int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  return allocate(MemoryKind::kPinned, memory, bytes);
}
FAKE_EXPORT int cuMemFreeHost(void* memory) { return release(MemoryKind::kPinned, memory); }

/// Registers host memory. It refuses registers of an adapter (flag CU_MEMHOSTREGISTER_IOMEMORY), and memory
/// that overlaps a known allocation.
FAKE_EXPORT int cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
  constexpr unsigned kDeviceMap = 2, kIoMemory = 4;
  FakeDevice* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  if (bytes == 0 || (flags & kIoMemory) != 0) return kInvalidValue;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(table_mutex);
  const auto after = table->lower_bound(begin + bytes);
  if (after != table->begin()) {
    const auto& [at, before] = *std::prev(after);
    if (at + before.bytes > begin) return kAlreadyRegistered;
  }
  (*table)[begin] = {bytes, device, MemoryKind::kRegistered, (flags & kDeviceMap) != 0, -1};
  return kSuccess;
}

FAKE_EXPORT int cuMemHostUnregister(void* memory) {
  FakeDevice* device = nullptr;
  if (const int result = require_any_context(device); result != kSuccess) return result;
  Allocation found;
  if (!find_memory(memory, 0, &found) || found.kind != MemoryKind::kRegistered) return kNotRegistered;
  wait_for_device(found.device);
  const std::lock_guard lock(table_mutex);
  return table->erase(reinterpret_cast<std::uintptr_t>(memory)) == 0 ? kNotRegistered : kSuccess;
}

FAKE_EXPORT int cuMemHostGetDevicePointer_v2(std::uint64_t* address, void* memory, unsigned /*flags*/) {
  *address = reinterpret_cast<std::uint64_t>(memory);
  Allocation found;
  return find_memory(memory, 1, &found) && is_host(found.kind) && found.is_mapped ? kSuccess : kInvalidValue;
}

FAKE_EXPORT int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  FakeDevice* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  *total = kDeviceBytes;
  *free = *total - device->used_bytes;
  return kSuccess;
}

/// Copies from host to device. If the host memory is not pinned, it is read before the call returns, like the
/// driver does by a staging copy.
FAKE_EXPORT int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = stream_for(handle, to, bytes, stream); result != kSuccess) return result;
  std::shared_ptr<std::vector<std::byte>> staged;
  if (!is_pinned(from, bytes)) {
    const auto* begin = static_cast<const std::byte*>(from);
    staged = std::make_shared<std::vector<std::byte>>(begin, begin + bytes);
  }
  return stream->enqueue([=] {
    std::memcpy(reinterpret_cast<void*>(to), staged != nullptr ? staged->data() : from, bytes);
    return static_cast<int>(kSuccess);
  });
}

/// Copies from device to host. If the host memory is not pinned, the copy is complete when the call returns.
FAKE_EXPORT int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = stream_for(handle, from, bytes, stream); result != kSuccess) return result;
  const int queued = stream->enqueue([=] {
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return static_cast<int>(kSuccess);
  });
  if (queued != kSuccess || is_pinned(to, bytes)) return queued;
  stream->wait();
  return stream->device->error;
}

FAKE_EXPORT int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* handle) {
  std::shared_ptr<Stream> stream;
  if (const int result = stream_for(handle, to, bytes, stream); result != kSuccess) return result;
  return stream->enqueue([=] {
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return static_cast<int>(kSuccess);
  });
}

FAKE_EXPORT int cudaFakeAllocate(void** memory, std::size_t bytes) {
  return allocate(MemoryKind::kNccl, memory, bytes);
}
FAKE_EXPORT int cudaFakeFree(void* memory) { return release(MemoryKind::kNccl, memory); }
FAKE_EXPORT int cudaFakeReachable(const void* memory, std::size_t bytes, int only_allocated) {
  Allocation found;
  if (!find_memory(memory, bytes, &found)) return 0;
  return only_allocated == 0 || found.kind == MemoryKind::kNccl ? 1 : 0;
}

FAKE_EXPORT int cudaFakeAdopt(void* memory, std::size_t bytes) {
  FakeDevice* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  const std::lock_guard lock(table_mutex);
  (*table)[reinterpret_cast<std::uintptr_t>(memory)] = {bytes, device, MemoryKind::kAdopted, true, -1};
  return kSuccess;
}
FAKE_EXPORT int cudaFakeForget(void* memory) {
  Allocation found;
  if (!find_memory(memory, 0, &found) || found.kind != MemoryKind::kAdopted) return kInvalidValue;
  wait_for_device(found.device);
  const std::lock_guard lock(table_mutex);
  return table->erase(reinterpret_cast<std::uintptr_t>(memory)) == 1 ? kSuccess : kInvalidValue;
}
