#pragma once
// Message queue behind interrupts and data interrupts: the receiver listens, each sender has a connection (so
// a dead sender leaves nothing, and an absent receiver is noticed at connect). Bounded by the kernel's socket
// buffers.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "softntb/session.h"

namespace collbench::softntb {

/// Most bytes of one data interrupt.
constexpr std::size_t kDataInterruptBytes = 4096;

class InterruptPort {
 public:
  /// Called on the library's callback thread with what came; not again after SCI_CALLBACK_CANCEL.
  using Callback = std::function<sci_callback_action_t(std::vector<std::byte>)>;

  ~InterruptPort();
  /// Binds `number`, or any free one when `fixed` is false (then `*number` is set). SCI_ERR_OK,
  /// SCI_ERR_INTNO_USED, SCI_ERR_SYSTEM. @param callback empty = messages are waited for
  sci_error_t open(const Session& session, unsigned adapter, Endpoint kind, bool fixed, unsigned* number,
                   Callback callback);
  /// One message. SCI_ERR_OK with `*length` = its bytes; SCI_ERR_OVERFLOW when it has more than `capacity`
  /// (it stays,
  /// `*length` says how many); SCI_ERR_TIMEOUT; SCI_ERR_CANCELLED; SCI_ERR_ILLEGAL_OPERATION with a callback.
  sci_error_t wait(void* data, std::size_t capacity, std::size_t* length, unsigned timeout_ms);
  /// Drops what has come so far.
  void discard_pending();
  /// Wakes and outwaits waiters and callbacks.
  void close();

 private:
  /// 1 = a message was taken, 0 = none is there, -1 = it does not fit.
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
