#include "cuda/fake/driver/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "cuda/fake/driver/stream.h"
#include "cuda/fake/fake_cuda.h"

namespace collbench::cuda_fake {
namespace {

constexpr std::size_t kPage = 4096;
/// Of larger allocations only both ends are marked: memory that nobody touches costs nothing.
constexpr std::size_t kMarkedWhole = 8 << 20, kMarkedEnd = 1 << 20;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void mark(void* memory, std::size_t bytes) {
  if (bytes <= kMarkedWhole) {
    std::memset(memory, kMarkerByte, bytes);
    return;
  }
  std::memset(memory, kMarkerByte, kMarkedEnd);
  std::memset(static_cast<std::byte*>(memory) + bytes - kMarkedEnd, kMarkerByte, kMarkedEnd);
}

}  // namespace

int MemoryTable::allocate(Device* device, MemoryKind kind, std::size_t bytes, void** memory) {
  if (bytes == 0 || memory == nullptr) return kInvalidValue;
  if (bytes > (std::size_t{1} << 46)) return kOutOfMemory;
  const std::size_t charged = kind == MemoryKind::kPinned ? 0 : whole_pages(bytes);
  if (device->used_bytes.fetch_add(charged) + charged > device_memory_bytes()) {
    device->used_bytes -= charged;
    return kOutOfMemory;
  }
  void* mapped = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    device->used_bytes -= charged;
    return kOutOfMemory;
  }
  mark(mapped, bytes);
  const std::lock_guard lock(mutex_);
  allocations_[reinterpret_cast<std::uintptr_t>(mapped)] = {bytes, device, kind};
  *memory = mapped;
  return kSuccess;
}

int MemoryTable::release(void* memory, MemoryKind kind) {
  Allocation taken;
  {
    const std::lock_guard lock(mutex_);
    const auto at = allocations_.find(reinterpret_cast<std::uintptr_t>(memory));
    if (at == allocations_.end() || at->second.kind != kind) return kInvalidValue;
    taken = at->second;
    allocations_.erase(at);
  }
  munmap(memory, whole_pages(taken.bytes));
  if (kind != MemoryKind::kPinned) taken.device->used_bytes -= whole_pages(taken.bytes);
  return kSuccess;
}

bool MemoryTable::find(const void* memory, std::size_t bytes, Allocation* found) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::lock_guard lock(mutex_);
  auto at = allocations_.upper_bound(address);
  if (at == allocations_.begin()) return false;
  --at;
  const std::size_t offset = address - at->first;
  if (offset > at->second.bytes || bytes > at->second.bytes - offset) return false;
  if (found != nullptr) *found = at->second;
  return true;
}

int MemoryTable::count(bool pinned) {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::count_if(
      allocations_.begin(), allocations_.end(),
      [pinned](const auto& entry) { return (entry.second.kind == MemoryKind::kPinned) == pinned; }));
}

MemoryTable& memory_table() {
  static auto* table = new MemoryTable;
  return *table;
}

}  // namespace collbench::cuda_fake

using namespace collbench::cuda_fake;

namespace {

int allocate(MemoryKind kind, void** memory, std::size_t bytes) {
  Device* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  if (const int result = check_no_capture(); result != kSuccess) return result;
  return memory_table().allocate(device, kind, bytes, memory);
}

/// Waits for the device first, as the driver does: nothing may still work in this memory.
int release(MemoryKind kind, void* memory) {
  Device* device = nullptr;
  if (const int result = require_any_context(device); result != kSuccess) return result;
  if (const int result = check_no_capture(); result != kSuccess) return result;
  Allocation found;
  if (!memory_table().find(memory, 0, &found) || found.kind != kind) return kInvalidValue;
  wait_for_device(found.device);
  return memory_table().release(memory, kind);
}

}  // namespace

FAKE_EXPORT int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  if (address == nullptr) return kInvalidValue;
  void* memory = nullptr;
  const int result = allocate(MemoryKind::kDevice, &memory, bytes);
  if (result == kSuccess) *address = reinterpret_cast<std::uint64_t>(memory);
  return result;
}

FAKE_EXPORT int cuMemFree_v2(std::uint64_t address) {
  return address == 0 ? kSuccess : release(MemoryKind::kDevice, reinterpret_cast<void*>(address));
}

FAKE_EXPORT int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return memory == nullptr || flags > 7 ? kInvalidValue : allocate(MemoryKind::kPinned, memory, bytes);
}

FAKE_EXPORT int cuMemFreeHost(void* memory) { return release(MemoryKind::kPinned, memory); }

FAKE_EXPORT int cuMemHostGetDevicePointer_v2(std::uint64_t* address, void* memory, unsigned flags) {
  Device* device = nullptr;
  if (address == nullptr || flags != 0) return kInvalidValue;
  if (const int result = require_context(device); result != kSuccess) return result;
  Allocation found;
  if (!memory_table().find(memory, 1, &found) || found.kind != MemoryKind::kPinned) return kInvalidValue;
  *address = reinterpret_cast<std::uint64_t>(memory);
  return kSuccess;
}

FAKE_EXPORT int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  Device* device = nullptr;
  if (free == nullptr || total == nullptr) return kInvalidValue;
  if (const int result = require_context(device); result != kSuccess) return result;
  *total = device_memory_bytes();
  *free = *total - device->used_bytes;
  return kSuccess;
}

FAKE_EXPORT int cudaFakeAllocate(void** memory, std::size_t bytes) {
  return allocate(MemoryKind::kNccl, memory, bytes);
}
FAKE_EXPORT int cudaFakeFree(void* memory) { return release(MemoryKind::kNccl, memory); }
FAKE_EXPORT int cudaFakeReachable(const void* memory, std::size_t bytes, int only_allocated) {
  Allocation found;
  if (!memory_table().find(memory, bytes, &found)) return 0;
  return only_allocated == 0 || found.kind == MemoryKind::kNccl ? 1 : 0;
}
