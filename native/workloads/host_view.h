#pragma once
// Memory of an engine as the host fills and reads it.
#include <cstddef>
#include <vector>

#include "engines/engine.h"

namespace collbench {

/// A range of an engine's buffer: the memory itself, or a copy in host memory if the engine's is on a device.
class HostView {
 public:
  HostView() = default;
  HostView(Engine& engine, std::byte* memory, std::size_t bytes)
      : engine_(&engine), memory_(memory), copy_(engine.on_device() ? bytes : 0) {}

  [[nodiscard]] std::byte* data() noexcept { return copy_.empty() ? memory_ : copy_.data(); }
  /// Writes the copy to the device. Without a device it does nothing.
  void upload() {
    if (!copy_.empty()) engine_->upload(memory_, copy_.data(), copy_.size());
  }
  /// Renews the copy from the device, after all queued work. Without a device it does nothing.
  void download() {
    if (!copy_.empty()) engine_->download(copy_.data(), memory_, copy_.size());
  }

 private:
  Engine* engine_ = nullptr;
  std::byte* memory_ = nullptr;
  std::vector<std::byte> copy_;
};

}  // namespace collbench
