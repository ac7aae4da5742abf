#pragma once
// Buffers in which frames are made and received. They are reused and never freed: page-locked memory cannot
// be released while a kernel runs, and a communicator may be aborted during one.
#include <cstddef>
#include <memory>

#include "net_plugin/gin/gpu_memory.h"
#include "net_plugin/gin/wire.h"

namespace collbench::net_plugin::gin {

/// Host memory for the messages (frames) of one direction of a connection and one 8-byte word; page-locked if
/// possible.
class Staging {
 public:
  explicit Staging(GpuCopyStream* copy_stream);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::byte* frame(std::size_t index) const { return data_ + (index % kFrames) * kFrameBytes; }
  /// Returns the address of the word in which the sum of a signal and its added value is computed.
  [[nodiscard]] std::byte* word() const { return data_ + kFrames * kFrameBytes; }
  static std::size_t bytes();

 private:
  std::byte* data_;
  bool pinned_;
};

}  // namespace collbench::net_plugin::gin
