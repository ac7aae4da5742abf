#pragma once
// Our GPU kernels, compiled from source for this GPU by NVRTC when the engine starts.
#include <cstdint>

#include "cuda/device.h"
#include "cuda/nvrtc_api.h"

namespace collbench::cuda {

class Kernels {
 public:
  /// Compiles and loads the kernels that fill and check buffers and hold the stream.
  /// @throws Error(kUnavailable) with the compiler's log
  Kernels(Device& device, const NvrtcApi& nvrtc);
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  /// Queues a kernel that ends when *flag >= wanted. After timeout_ns it ends anyway and sets *gave_up to 1.
  /// Flag and gave_up are device addresses of host memory.
  void hold(std::uint64_t flag, unsigned wanted, std::uint64_t gave_up, std::uint64_t timeout_ns) const;
  [[nodiscard]] void* fill() const noexcept { return fill_; }
  [[nodiscard]] void* poison() const noexcept { return poison_; }
  [[nodiscard]] void* verify() const noexcept { return verify_; }
  /// Queues a kernel on the device's stream, with a grid for `work` elements.
  /// @param function the kernel: result of fill(), poison() or verify()
  /// @param parameters addresses of the kernel's arguments
  void launch(void* function, std::uint64_t work, void** parameters) const;

 private:
  Device& device_;
  void* module_ = nullptr;
  void* fill_ = nullptr;
  void* poison_ = nullptr;
  void* verify_ = nullptr;
  void* hold_ = nullptr;
};

}  // namespace collbench::cuda
