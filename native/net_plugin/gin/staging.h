#pragma once
// Memory that frames are made and received in. Never given back: page-locked memory cannot be released while
// a kernel runs, and a communicator may be aborted while one does; the next connection takes it.
#include <cstddef>
#include <memory>

#include "net_plugin/gin/gpu_memory.h"
#include "net_plugin/gin/wire.h"

namespace collbench::net_plugin::gin {

/// Frames and 8 bytes beside them, whole pages.
class Staging {
 public:
  explicit Staging(GpuLane* lane);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::byte* frame(std::size_t index) const { return data_ + (index % kFrames) * kFrameBytes; }
  /// Where a signal is added up.
  [[nodiscard]] std::byte* word() const { return data_ + kFrames * kFrameBytes; }
  static std::size_t bytes();

 private:
  std::byte* data_;
  bool pinned_;
};

}  // namespace collbench::net_plugin::gin
