#pragma once
// Copies from and to memory of a CUDA device by copy engine, at the same time as kernels that wait for the
// copied data. Uses libcuda if the program has loaded it; otherwise all memory counts as host memory.
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench::net_plugin::gin {

/// A CUDA context with a stream for copies. Any thread may use it, even without a current context, like
/// NCCL's progress thread.
class GpuCopyStream {
 public:
  /// Makes a stream in the calling thread's current context; nullptr if the thread has no context or libcuda
  /// is not loaded.
  /// @throws Error(kInternal) if the driver makes no stream; of_memory() does the same
  static std::unique_ptr<GpuCopyStream> of_current_context();
  /// Makes a stream in the primary context of the device that owns the memory; nullptr if the memory belongs
  /// to no CUDA device. The context is never released.
  static std::unique_ptr<GpuCopyStream> of_memory(const void* memory);
  ~GpuCopyStream();
  GpuCopyStream(const GpuCopyStream&) = delete;
  GpuCopyStream& operator=(const GpuCopyStream&) = delete;

  /// Queues a copy between host and GPU memory; copies run in the order of the calls. Until finish() returns,
  /// the host memory must not be freed, written or, if it is the destination, read.
  /// @throws Error(kInternal)
  void copy(void* to, const void* from, std::size_t bytes);
  /// Waits until all queued copies are done. @throws Error(kInternal)
  void finish();
  /// Page-locks host memory, so that later copies from and to it are fast. True also if it is page-locked
  /// already; false if the driver refuses.
  bool pin(void* memory, std::size_t bytes);

 private:
  explicit GpuCopyStream(void* context);
  void* context_;
  void* stream_ = nullptr;
};

}  // namespace collbench::net_plugin::gin
