#pragma once
// Copies from and to memory of a CUDA device by copy engine, beside kernels that wait for them. Uses libcuda
// if the program has loaded it; otherwise all memory counts as host memory.
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench::net_plugin::gin {

/// A CUDA context, with a stream for copies in it. Any thread may use it later: NCCL's progress thread sets
/// no context.
class GpuCopyStream {
 public:
  /// Uses the current context; nullptr if no CUDA context is current.
  static std::unique_ptr<GpuCopyStream> of_current_context();
  /// Uses the primary context of the device that owns the memory; nullptr if no device does.
  static std::unique_ptr<GpuCopyStream> of_memory(const void* memory);
  ~GpuCopyStream();
  GpuCopyStream(const GpuCopyStream&) = delete;
  GpuCopyStream& operator=(const GpuCopyStream&) = delete;

  /// Queues a copy; copies run in order. Host memory must not change until finish(). @throws Error(kInternal)
  void copy(void* to, const void* from, std::size_t bytes);
  /// Waits until all queued copies are done. @throws Error(kInternal)
  void finish();
  /// Page-locks host memory, so that copies run at full speed. False if the driver refuses.
  bool pin(void* memory, std::size_t bytes);

 private:
  explicit GpuCopyStream(void* context);
  void* context_;
  void* stream_ = nullptr;
};

}  // namespace collbench::net_plugin::gin
