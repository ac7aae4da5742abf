#pragma once
// One GPU as one rank uses it: primary context, a stream, memory.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/driver_api.h"

namespace collbench::cuda {

/// Device memory from cuMemAlloc, zeroed; freed with the object (the device must be current).
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// @throws Error(kUnavailable) naming the bytes and what is free
  DeviceMemory(const DriverApi& driver, std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  [[nodiscard]] void* data() const noexcept { return reinterpret_cast<void*>(address_); }
  [[nodiscard]] std::uint64_t address() const noexcept { return address_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  const DriverApi* driver_ = nullptr;
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
};

/// Pinned host memory that the device can read and write.
class PinnedMemory {
 public:
  PinnedMemory(const DriverApi& driver, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t device_address() const noexcept { return address_; }

 private:
  const DriverApi& driver_;
  void* data_ = nullptr;
  std::uint64_t address_ = 0;
};

/// Its host name: GPUs of two machines may have the same PCI address.
std::string this_machine();

/// Which GPU a rank takes: the n-th of `gpus` (--gpus), or of all where that is empty.
struct GpuChoice {
  const std::vector<int>& gpus;
  bool share;  // ranks may share a GPU
  int local_rank, local_ranks;
};
/// @throws Error(kInvalidArgument) fewer GPUs than ranks, or a GPU that is not there
int choose_gpu(const DriverApi& driver, const GpuChoice& choice);

class Device {
 public:
  /// Makes the primary context of GPU `ordinal` current in this thread and creates a stream.
  /// @throws Error(kUnavailable) with the driver's reason
  Device(const DriverApi& driver, int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const DriverApi& driver() const noexcept { return driver_; }
  [[nodiscard]] void* stream() const noexcept { return stream_; }
  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& pci() const noexcept { return pci_; }  // "0000:1b:00.0"
  [[nodiscard]] int capability() const noexcept { return capability_; }   // 90 for 9.0
  /// True when all queued work is complete. @throws Error(kInternal) when the device failed
  bool idle();
  /// Blocks until then.
  void drain();
  [[nodiscard]] std::size_t free_bytes() const;
  /// Between host and device memory, after all queued work; complete when they return.
  void upload(void* to, const void* from, std::size_t bytes);
  void download(void* to, const void* from, std::size_t bytes);
  /// The context lives until the process ends: for libraries whose threads use it after they were closed.
  void keep_context() noexcept { keeps_context_ = true; }

 private:
  const DriverApi& driver_;
  int ordinal_;
  int device_ = 0;
  std::string name_, pci_;
  int capability_ = 0;
  void* context_ = nullptr;
  bool keeps_context_ = false;
  void* stream_ = nullptr;
};

}  // namespace collbench::cuda
