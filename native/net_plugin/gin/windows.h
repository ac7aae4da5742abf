#pragma once
// Memory registered with one group of ranks, and copies from and to it, in host or GPU memory.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "net_plugin/gin/gpu_memory.h"
#include "transports/transport.h"

namespace collbench::net_plugin::gin {

/// A registered memory range of this rank. NCCL holds this object's address as mhandle and as ginHandle.
struct Window {
  std::uint64_t number = 0;  // number of the registration
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::kHost;
};

/// Memory that one rank has registered with one communicator. Windows get equal numbers on all ranks, because
/// all register them in the same order.
class Windows {
 public:
  explicit Windows(std::unique_ptr<GpuCopyStream> copy_stream) : copy_stream_(std::move(copy_stream)) {}
  /// Registers memory as a window and gives it the next number.
  /// @throws Error(kInvalidArgument) if `kind` says CUDA memory, there is no stream for copies yet, and CUDA
  /// does not know the address
  Window& add(void* data, std::size_t bytes, MemoryKind kind);
  void remove(const Window* window);
  /// Returns the window with this number.
  /// @throws Error(kProtocol) if there is none or [offset, offset + bytes) does not lie inside it
  const Window& find(std::uint64_t number, std::uint64_t offset, std::size_t bytes) const;
  [[nodiscard]] GpuCopyStream* copy_stream() const { return copy_stream_.get(); }

  /// Copies `bytes` from `offset` of a window to host memory; the data is in `to` on return.
  void read(const Window& from, std::uint64_t offset, std::byte* to, std::size_t bytes);
  /// Copies host memory to `offset` of a window. A copy to GPU memory is only queued: `from` must stay
  /// unchanged until finish() returns.
  void write(const Window& to, std::uint64_t offset, const std::byte* from, std::size_t bytes);
  /// Copies from one window of this rank to another. Unless both are host memory, the copy is only queued:
  /// see finish().
  void copy(const Window& to, std::uint64_t to_offset, const Window& from, std::uint64_t from_offset,
            std::size_t bytes);
  /// Adds `value` to the 64-bit word at `offset`, after all data that was written before is in place.
  /// Complete on return.
  /// @param scratch 8 bytes of host memory for the computation, preferably page-locked; only used for GPU
  /// memory
  void add_to_word(const Window& window, std::uint64_t offset, std::uint64_t value, std::byte* scratch);
  /// Waits until all queued copies are done.
  void finish();

 private:
  std::unique_ptr<GpuCopyStream> copy_stream_;
  std::map<std::uint64_t, std::unique_ptr<Window>> windows_;
  std::uint64_t next_ = 0;
  bool copying_ = false;
};

}  // namespace collbench::net_plugin::gin
