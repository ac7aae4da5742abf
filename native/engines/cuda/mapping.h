#pragma once
// Mapping of this process's memory for the GPU: pages of an adapter's queues, or an adapter's registers.
#include <cstddef>
#include <cstdint>

#include "cuda/driver_api.h"

namespace collbench::gpu {

class DeviceMapping {
 public:
  /// Maps `bytes` of this process's memory into the GPU's address space.
  /// @param is_io true for registers of another device, such as an adapter; only some drivers can map them
  /// @throws Error(kUnavailable) with the driver's message and what is needed
  DeviceMapping(const cuda::DriverApi& driver, void* memory, std::size_t bytes, bool is_io);
  ~DeviceMapping();
  DeviceMapping(const DeviceMapping&) = delete;
  DeviceMapping& operator=(const DeviceMapping&) = delete;

  /// Returns the address at which the GPU accesses the object at host address `at`, which must be in the
  /// mapped memory.
  template <class Thing>
  [[nodiscard]] Thing* device_address(Thing* at) const noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(memory_);
    return reinterpret_cast<Thing*>(device_ + offset);
  }

 private:
  const cuda::DriverApi& driver_;
  void* const memory_;
  bool is_mine_ = true;
  std::uint64_t device_ = 0;
};

}  // namespace collbench::gpu
