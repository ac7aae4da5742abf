#pragma once
#include <memory>

#include "engines/engine.h"
#include "workloads/controlpath/device/mailbox_device.h"

namespace collbench::controlpath {

/// Memory shared by kernels and host. The destructor releases waiting kernels.
class SharedMailbox {
 public:
  explicit SharedMailbox(Engine& engine);
  ~SharedMailbox();
  SharedMailbox(const SharedMailbox&) = delete;
  SharedMailbox& operator=(const SharedMailbox&) = delete;
  [[nodiscard]] Mailbox& operator*() const noexcept { return *static_cast<Mailbox*>(memory_->data()); }
  [[nodiscard]] Mailbox* operator->() const noexcept { return static_cast<Mailbox*>(memory_->data()); }
  [[nodiscard]] Mailbox* on_device() const noexcept { return static_cast<Mailbox*>(memory_->device_data()); }

  /// Ends waiting kernels and proxies.
  void stop() noexcept;
  /// Waits for a kernel's request, for a proxy.
  /// @returns false if the host is ending
  /// @throws Engine::stop_if_cancelled
  bool await_request(std::uint32_t spins);
  /// Lets the kernel that asked continue.
  void answer() noexcept;

 private:
  Engine& engine_;
  std::unique_ptr<SharedMemory> memory_;
};

/// Checks the result of a kernel.
/// @param syndrome syndrome + 1 that a kernel saw; 0 = none
/// @throws Error(kConnectionLost)
void require_good(std::uint64_t syndrome);

}  // namespace collbench::controlpath
