#pragma once
// Memory registered with one group of ranks, and copies from and to it, in host or GPU memory.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "net_plugin/gin/gpu_memory.h"
#include "transports/transport.h"

namespace collbench::net_plugin::gin {

/// A registered range. NCCL holds its address as mhandle and as ginHandle.
struct Window {
  std::uint64_t number = 0;  // number of the registration
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::kHost;
};

class Windows {
 public:
  explicit Windows(std::unique_ptr<GpuCopyStream> copy_stream) : copy_stream_(std::move(copy_stream)) {}
  /// @throws Error(kInvalidArgument) for memory that is declared CUDA memory and unknown to CUDA
  Window& add(void* data, std::size_t bytes, MemoryKind kind);
  void remove(const Window* window);
  /// @throws Error(kProtocol) naming the range of a frame that is not registered
  const Window& find(std::uint64_t number, std::uint64_t offset, std::size_t bytes) const;
  [[nodiscard]] GpuCopyStream* copy_stream() const { return copy_stream_.get(); }

  /// Copies from a window to host memory; complete on return.
  void read(const Window& from, std::uint64_t offset, std::byte* to, std::size_t bytes);
  /// Copies host memory into a window; `from` may be reused after finish().
  void write(const Window& to, std::uint64_t offset, const std::byte* from, std::size_t bytes);
  void copy(const Window& to, std::uint64_t to_offset, const Window& from, std::uint64_t from_offset,
            std::size_t bytes);
  /// Adds to the 64-bit word, ordered after everything written before. @param scratch 8 bytes, preferably
  /// page-locked
  void add_to_word(const Window& window, std::uint64_t offset, std::uint64_t value, std::byte* scratch);
  void finish();

 private:
  std::unique_ptr<GpuCopyStream> copy_stream_;
  std::map<std::uint64_t, std::unique_ptr<Window>> windows_;
  std::uint64_t next_ = 0;
  bool copying_ = false;
};

}  // namespace collbench::net_plugin::gin
