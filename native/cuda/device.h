#pragma once
// One GPU as one rank uses it: primary context, a stream, memory.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/driver_api.h"

namespace collbench::cuda {

/// Device memory from cuMemAlloc, filled with zeros. The destructor frees it; the device must be current
/// then.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// @throws Error(kUnavailable) if there is not enough memory, with the requested and the free bytes
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

/// Pinned host memory that the device can also read and write.
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

/// Returns the name of this host. Together with the PCI address it identifies a GPU, since GPUs of two
/// machines may have the same PCI address.
std::string this_machine();

/// Data for selecting the GPU of a rank. The rank with index n on its machine (`local_rank`) uses entry n of
/// the list `gpus` (--gpus), or GPU n if the list is empty.
struct GpuChoice {
  const std::vector<int>& gpus;
  bool share;  // true: several ranks may use one GPU
  int local_rank, local_ranks;
};
/// Returns the number of the GPU that the rank must use. With `share`, further ranks start again at the first
/// GPU.
/// @throws Error(kInvalidArgument) if the rank's GPU does not exist, or if all GPUs are taken by ranks with a
/// lower index and ranks may not share one
/// @throws Error(kUnavailable) with the driver's reason
int choose_gpu(const DriverApi& driver, const GpuChoice& choice);

class Device {
 public:
  /// Creates a stream on GPU `ordinal` and makes the GPU's primary context current in this thread.
  /// @throws Error(kUnavailable) with the driver's reason
  Device(const DriverApi& driver, int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const DriverApi& driver() const noexcept { return driver_; }
  [[nodiscard]] void* stream() const noexcept { return stream_; }
  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& pci() const noexcept { return pci_; }  // PCI address: "0000:1b:00.0".
  /// Returns the GPU's compute capability times ten: 90 for 9.0.
  [[nodiscard]] int capability() const noexcept { return capability_; }
  /// True if CUDA's Multi-Process Service (MPS) runs the kernels of this and other processes at the same
  /// time.
  [[nodiscard]] bool uses_mps() const noexcept { return uses_mps_; }
  /// Number of multiprocessors that kernels of this process may use.
  [[nodiscard]] int multiprocessors() const noexcept { return multiprocessors_; }
  /// Returns true if all work queued on the device's stream is complete.
  /// @throws Error(kUnavailable) if the device failed; drain() does the same
  bool idle();
  /// Blocks until all work queued on the device's stream is complete.
  void drain();
  [[nodiscard]] std::size_t free_bytes() const;
  /// Copies from host to device memory, and download() the opposite way. The copy begins after all queued
  /// work and is complete on return.
  void upload(void* to, const void* from, std::size_t bytes);
  void download(void* to, const void* from, std::size_t bytes);
  /// Keeps the GPU's context until the process ends, because some libraries have threads that use it after
  /// the library was closed.
  void keep_context() noexcept { keeps_context_ = true; }

 private:
  const DriverApi& driver_;
  int ordinal_;
  int device_ = 0;
  std::string name_, pci_;
  int capability_ = 0;
  bool uses_mps_ = false;
  int multiprocessors_ = 0;
  void* context_ = nullptr;
  bool keeps_context_ = false;
  void* stream_ = nullptr;
};

}  // namespace collbench::cuda
