#pragma once
#include <memory>

#include "engines/engine.h"
#include "workloads/controlpath/device/mailbox_device.h"

namespace collbench::controlpath {

/// Memory that kernels and host share; kernels that wait are let go when it dies.
class SharedMailbox {
 public:
  explicit SharedMailbox(Engine& engine);
  ~SharedMailbox();
  SharedMailbox(const SharedMailbox&) = delete;
  SharedMailbox& operator=(const SharedMailbox&) = delete;
  [[nodiscard]] Mailbox& operator*() const noexcept { return *static_cast<Mailbox*>(memory_->data()); }
  [[nodiscard]] Mailbox* operator->() const noexcept { return static_cast<Mailbox*>(memory_->data()); }
  [[nodiscard]] Mailbox* on_device() const noexcept { return static_cast<Mailbox*>(memory_->device_data()); }

  /// Kernels and proxies that wait end.
  void stop() noexcept;
  /// For a proxy: until a kernel asks. @returns false where the host is ending @throws
  /// Engine::stop_if_cancelled
  bool await_request(std::uint32_t spins);
  /// Lets the kernel go on that asked.
  void answer() noexcept;

 private:
  Engine& engine_;
  std::unique_ptr<SharedMemory> memory_;
};

/// @throws Error(kConnectionLost) a syndrome + 1 that a kernel saw; 0 = none
void require_good(std::uint64_t syndrome);

}  // namespace collbench::controlpath
