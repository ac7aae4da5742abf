#pragma once
// Copies from and to memory of a CUDA device, on the copy engines and beside kernels that wait for them.
// libcuda is used where the program has loaded it; without it all memory is the host's.
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench::net_plugin::gin {

/// The context that was current when this was made, whichever thread uses it later: NCCL's progress thread
/// sets none.
class GpuLane {
 public:
  /// nullptr where no context of CUDA is current.
  static std::unique_ptr<GpuLane> of_current_context();
  /// The primary context of the device that the memory is of; nullptr where it is of none.
  static std::unique_ptr<GpuLane> of_memory(const void* memory);
  ~GpuLane();
  GpuLane(const GpuLane&) = delete;
  GpuLane& operator=(const GpuLane&) = delete;

  /// Queued in order; host memory must stay as it is until finish(). @throws Error(kInternal)
  void copy(void* to, const void* from, std::size_t bytes);
  /// Returns when all queued copies are done. @throws Error(kInternal)
  void finish();
  /// Page-locks host memory, for copies at full speed; false where the driver refuses.
  bool pin(void* memory, std::size_t bytes);

 private:
  explicit GpuLane(void* context);
  void* context_;
  void* stream_ = nullptr;
};

}  // namespace collbench::net_plugin::gin
