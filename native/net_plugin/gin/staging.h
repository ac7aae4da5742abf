#pragma once
// Buffers in which frames are made and received. They are reused and never freed: page-locked memory cannot
// be released while a kernel runs, and a communicator may be aborted during one.
#include <cstddef>
#include <memory>

#include "net_plugin/gin/gpu_memory.h"
#include "net_plugin/gin/wire.h"

namespace collbench::net_plugin::gin {

/// kFrames frames and 8 more bytes, in whole pages.
class Staging {
 public:
  explicit Staging(GpuCopyStream* copy_stream);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::byte* frame(std::size_t index) const { return data_ + (index % kFrames) * kFrameBytes; }
  /// Word in which a signal is added up.
  [[nodiscard]] std::byte* word() const { return data_ + kFrames * kFrameBytes; }
  static std::size_t bytes();

 private:
  std::byte* data_;
  bool pinned_;
};

}  // namespace collbench::net_plugin::gin
