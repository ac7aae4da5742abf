#pragma once
// Allocations of the fake: host memory with known bounds, so that a wild pointer is found.
#include <cstddef>
#include <cstdint>

#include "cuda/fake/driver/device.h"

namespace collbench::cuda_fake {

enum class MemoryKind : std::uint8_t { kDevice, kNccl, kPinned, kRegistered, kAdopted };

struct Allocation {
  std::size_t bytes = 0;  // requested size
  FakeDevice* device = nullptr;
  MemoryKind kind = MemoryKind::kDevice;
  bool is_mapped = true;  // a device may access it
  int file = -1;          // descriptor of the file behind device memory; -1 = none
};

/// Returns true if the range is within one allocation that exists; `found` then receives this allocation.
bool find_memory(const void* memory, std::size_t bytes, Allocation* found = nullptr);
/// Returns the number of allocations that exist: of host memory (pinned or registered) if `pinned`, otherwise
/// of device memory.
int count_memory(bool pinned);

}  // namespace collbench::cuda_fake
