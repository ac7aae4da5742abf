#pragma once
// Message queue behind interrupts and data interrupts. The receiver listens and each sender has a connection.
// So a dead sender leaves nothing behind, and connecting to an absent receiver fails. The kernel's socket
// buffers bound the queue.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "softntb/session.h"

namespace collbench::softntb {

/// Most bytes in one data interrupt.
constexpr std::size_t kDataInterruptBytes = 4096;

class InterruptPort {
 public:
  /// Called with each message on the library's callback thread; not called again after SCI_CALLBACK_CANCEL.
  using Callback = std::function<sci_callback_action_t(std::vector<std::byte>)>;

  ~InterruptPort();
  /// Binds `number`, or any free one if `fixed` is false (then `*number` is set).
  /// @param callback empty = messages are fetched with wait()
  /// @returns SCI_ERR_OK, SCI_ERR_INTNO_USED or SCI_ERR_SYSTEM
  sci_error_t open(const Session& session, unsigned adapter, Endpoint kind, bool fixed, unsigned* number,
                   Callback callback);
  /// Waits for one message. SCI_ERR_OK: `*length` = its bytes. SCI_ERR_OVERFLOW: it is longer than
  /// `capacity`; it stays in the queue and `*length` is its size. SCI_ERR_TIMEOUT, SCI_ERR_CANCELLED.
  /// SCI_ERR_ILLEGAL_OPERATION: a callback receives the messages.
  sci_error_t wait(void* data, std::size_t capacity, std::size_t* length, unsigned timeout_ms);
  /// Drops the messages that have arrived so far.
  void discard_pending();
  /// Cancels waits and waits until no waiter and no callback runs.
  void close();

 private:
  /// 1 = a message was taken, 0 = there is none, -1 = it is longer than `capacity`.
  int take(void* data, std::size_t capacity, std::size_t* length);
  void dispatch();
  Fd epoll_;
  Fd listener_;
  Fd cancel_;
  Callback callback_;
  std::uint64_t service_id_ = 0;
  std::mutex mutex_;
  std::condition_variable left_;
  std::map<int, Fd> senders_;
  std::atomic<bool> closed_{false};
  std::atomic<bool> silent_{false};
  int waiters_ = 0;
};

}  // namespace collbench::softntb
