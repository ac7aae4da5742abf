#pragma once
// Functions that a device offers to workloads in which it communicates by itself: memory shared by host and
// kernels, and memory operations in stream order.
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench {

/// Host memory that kernels can access, too. Zeroed.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  [[nodiscard]] virtual void* data() const noexcept = 0;
  /// Returns the address that kernels use.
  [[nodiscard]] virtual void* device_data() const noexcept = 0;
};

class DevicePort {
 public:
  virtual ~DevicePort() = default;
  virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;
  /// Memory operations in stream order, without a kernel: store a word, or wait until a bit is set or clear.
  /// @param at address as kernels use it
  /// @throws Error(kUnavailable) if the driver has no such operation
  virtual void store_word(void* at, std::uint32_t word) = 0;
  virtual void store_long_word(void* at, std::uint64_t word) = 0;
  virtual void await_bit(const void* at, std::uint32_t bit, bool is_set) = 0;
  /// Returns true if another rank uses this device, too; waiting kernels would block the other rank's.
  [[nodiscard]] virtual bool is_shared() const noexcept = 0;
};

}  // namespace collbench
