#pragma once
// Allocations of the fake: host memory whose bounds are known, so that a wild pointer is found.
#include <cstddef>
#include <cstdint>

#include "cuda/fake/driver/device.h"

namespace collbench::cuda_fake {

enum class MemoryKind : std::uint8_t { kDevice, kNccl, kPinned, kRegistered, kAdopted };

struct Allocation {
  std::size_t bytes = 0;  // as asked for
  Device* device = nullptr;
  MemoryKind kind = MemoryKind::kDevice;
  bool is_mapped = true;  // a device may reach it
  int file = -1;          // behind device memory
};

/// True when the range lies in one live allocation; `found` tells which.
bool find_memory(const void* memory, std::size_t bytes, Allocation* found = nullptr);
int count_memory(bool pinned);

}  // namespace collbench::cuda_fake
