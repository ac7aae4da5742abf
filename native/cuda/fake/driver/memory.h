#pragma once
// Allocations of the fake: host memory whose bounds are known, so that a wild pointer is found.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "cuda/fake/driver/device.h"

namespace collbench::cuda_fake {

enum class MemoryKind : std::uint8_t { kDevice, kNccl, kPinned };
/// What new device memory holds: nothing may rely on zeros.
inline constexpr int kMarkerByte = 0xDB;

struct Allocation {
  std::size_t bytes = 0;  // as asked for
  Device* device = nullptr;
  MemoryKind kind = MemoryKind::kDevice;
};

class MemoryTable {
 public:
  /// @return kOutOfMemory past the device's size (pinned memory does not count), kInvalidValue for 0 bytes
  int allocate(Device* device, MemoryKind kind, std::size_t bytes, void** memory);
  /// @return kInvalidValue when `memory` is no allocation of this kind
  int release(void* memory, MemoryKind kind);
  /// True when the range lies in one live allocation; `kind` tells which.
  bool find(const void* memory, std::size_t bytes, Allocation* found = nullptr);
  int count(bool pinned);

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, Allocation> allocations_;
};
MemoryTable& memory_table();

}  // namespace collbench::cuda_fake
