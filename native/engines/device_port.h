#pragma once
// Functions that a device offers to workloads in which it communicates by itself: memory shared by host and
// kernels, and memory operations in stream order.
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench {

/// Host memory that kernels can also access; zero at first.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  [[nodiscard]] virtual void* data() const noexcept = 0;
  /// Returns the address of this memory for kernels; data() is the address for the host.
  [[nodiscard]] virtual void* device_data() const noexcept = 0;
};

class DevicePort {
 public:
  virtual ~DevicePort() = default;
  /// Allocates host memory that kernels can also access; the result's destructor frees it.
  virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;
  /// These three operations are queued on the stream and need no kernel: store a 32-bit word, store a 64-bit
  /// word, or wait until a bit of a 32-bit word is set (or clear). `bit` is a mask with that bit.
  /// @param at address as kernels use it
  /// @throws Error(kUnavailable) if the driver has no such operation
  virtual void store_word(void* at, std::uint32_t word) = 0;
  virtual void store_long_word(void* at, std::uint64_t word) = 0;
  virtual void await_bit(const void* at, std::uint32_t bit, bool is_set) = 0;
  /// Returns true if another rank uses the same device. A kernel that waits for another rank's kernel could
  /// then prevent that kernel from running.
  [[nodiscard]] virtual bool is_shared() const noexcept = 0;
};

}  // namespace collbench
