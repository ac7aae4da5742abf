#pragma once
// What a device offers to workloads that let it communicate by itself: memory that host and kernels share,
// and memory operations in the order of its stream.
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench {

/// Memory of the host that kernels reach, too. Zeroed.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  [[nodiscard]] virtual void* data() const noexcept = 0;
  /// Where kernels find it.
  [[nodiscard]] virtual void* device_data() const noexcept = 0;
};

class DevicePort {
 public:
  virtual ~DevicePort() = default;
  virtual std::unique_ptr<SharedMemory> share(std::size_t bytes) = 0;
  /// In stream order, without a kernel: stores a word, or waits until a word has none or all of the bits.
  /// @param at as kernels name it @throws Error(kUnavailable) where the driver has no such operation
  virtual void store_word(void* at, std::uint32_t word) = 0;
  virtual void store_long_word(void* at, std::uint64_t word) = 0;
  virtual void await_bit(const void* at, std::uint32_t bit, bool is_set) = 0;
  /// Another rank computes on this device, too: kernels that wait would keep it from it.
  [[nodiscard]] virtual bool is_shared() const noexcept = 0;
};

}  // namespace collbench
