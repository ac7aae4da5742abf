#pragma once
#include <memory>

#include "engines/engine.h"
#include "workloads/controlpath/device/mailbox_device.h"

namespace collbench::controlpath {

/// Owns a Mailbox (flags and reports) in memory that GPU kernels and host share. The destructor sets `stop`,
/// so that waiting kernels end, and waits until the device is idle.
class SharedMailbox {
 public:
  explicit SharedMailbox(Engine& engine);
  ~SharedMailbox();
  SharedMailbox(const SharedMailbox&) = delete;
  SharedMailbox& operator=(const SharedMailbox&) = delete;
  [[nodiscard]] Mailbox& operator*() const noexcept { return *static_cast<Mailbox*>(memory_->data()); }
  [[nodiscard]] Mailbox* operator->() const noexcept { return static_cast<Mailbox*>(memory_->data()); }
  [[nodiscard]] Mailbox* on_device() const noexcept { return static_cast<Mailbox*>(memory_->device_data()); }

  /// Ends the waits of kernels and proxy threads, by the flag `stop` in the mailbox.
  void stop() noexcept;
  /// Waits, on a proxy thread, until a kernel requests its puts.
  /// @param spins polls before the thread yields its core
  /// @returns false if stop() was called
  /// @throws as Engine::stop_if_cancelled()
  bool await_request(std::uint32_t spins);
  /// Tells the kernel that its puts are done, after await_request() has returned true; the kernel continues.
  void answer() noexcept;

 private:
  Engine& engine_;
  std::unique_ptr<SharedMemory> memory_;
};

/// Throws if a kernel saw a failed completion.
/// @param syndrome error syndrome of the adapter plus 1; 0 = none
/// @throws Error(kConnectionLost)
void require_good(std::uint64_t syndrome);

}  // namespace collbench::controlpath
