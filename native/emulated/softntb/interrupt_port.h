#pragma once
// Message queue behind interrupts and data interrupts. The receiver listens and each sender has a connection.
// A sender that dies leaves nothing behind, and connecting to an absent receiver fails. The kernel's socket
// buffers bound the queue.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "emulated/softntb/session.h"

namespace collbench::softntb {

/// Maximum number of bytes in one data interrupt.
constexpr std::size_t kDataInterruptBytes = 4096;

/// Receiving end of an interrupt or data interrupt: a listening socket and one connection per sender.
class InterruptPort {
 public:
  /// Function that is called with each message, in the library's callback thread. After it has returned
  /// SCI_CALLBACK_CANCEL it is not called again.
  using Callback = std::function<sci_callback_action_t(std::vector<std::byte>)>;

  ~InterruptPort();
  /// Starts to receive under an interrupt number.
  /// @param fixed true: the number is *number; false: any free number, which is stored in *number
  /// @param callback receives the messages; empty = wait() returns them
  /// @returns SCI_ERR_OK; SCI_ERR_INTNO_USED: the fixed number is in use; SCI_ERR_NOSPC: no number is free;
  /// SCI_ERR_SYSTEM
  sci_error_t open(const Session& session, unsigned adapter, Endpoint kind, bool fixed, unsigned* number,
                   Callback callback);
  /// Waits for one message and copies it to `data`. The wait ends after `timeout_ms` milliseconds; with
  /// SCI_INFINITE_TIMEOUT it has no limit.
  /// @param length receives the message's length in bytes
  /// @returns SCI_ERR_OK; SCI_ERR_OVERFLOW: the message is longer than `capacity` and stays in the queue;
  /// SCI_ERR_TIMEOUT; SCI_ERR_CANCELLED: close() was called; SCI_ERR_ILLEGAL_OPERATION: a callback receives
  /// the messages
  sci_error_t wait(void* data, std::size_t capacity, std::size_t* length, unsigned timeout_ms);
  /// Discards all interrupts or messages that have arrived and that nobody has received yet.
  void discard_pending();
  /// Makes running calls of wait() return SCI_ERR_CANCELLED; returns when they have ended and no callback
  /// runs.
  void close();

 private:
  /// Receives one message without waiting.
  /// @returns 1 = received, 0 = there is none, -1 = it is longer than `capacity`
  int take(void* data, std::size_t capacity, std::size_t* length);
  void dispatch();
  FileDescriptor epoll_;
  FileDescriptor listener_;
  FileDescriptor cancel_;
  Callback callback_;
  std::uint64_t service_id_ = 0;
  std::mutex mutex_;
  std::condition_variable left_;
  std::map<int, FileDescriptor> senders_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> silent_{false};
  int waiters_ = 0;
};

}  // namespace collbench::softntb
