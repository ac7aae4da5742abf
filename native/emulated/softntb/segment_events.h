#pragma once
// Connection events of a segment for its owner or user: queued for the caller that waits, or passed to a
// callback.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "vendor_api/sisci/sisci_api.h"

namespace collbench::softntb {

struct SegmentEvent {
  sci_segment_cb_reason_t reason = SCI_CB_CONNECT;
  unsigned node = 0;
  unsigned adapter = 0;
  sci_error_t status = SCI_ERR_OK;
};

/// Events of one segment: a queue of at most kCapacity, which drops the oldest when full; or, if there is a
/// callback, no queue.
class SegmentEvents {
 public:
  static constexpr std::size_t kCapacity = 1024;
  using Callback = std::function<sci_callback_action_t(const SegmentEvent&)>;

  /// @param callback receives each event in the library's callback thread; empty = wait() returns the events
  explicit SegmentEvents(Callback callback) : callback_(std::move(callback)) {}
  void push(const SegmentEvent& event);
  /// Waits for the next event and stores it in `*event`.
  /// @param timeout_ms milliseconds; SCI_INFINITE_TIMEOUT = no limit
  /// @returns SCI_ERR_OK; SCI_ERR_TIMEOUT; SCI_ERR_CANCELLED: close() was called; SCI_ERR_ILLEGAL_OPERATION:
  /// a callback receives the events
  sci_error_t wait(unsigned timeout_ms, SegmentEvent* event);
  /// Makes running calls of wait() return SCI_ERR_CANCELLED; returns when they have ended and no callback
  /// runs. No callback starts afterwards.
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SegmentEvent> events_;
  Callback callback_;
  bool silent_ = false;
  bool closed_ = false;
  int waiters_ = 0;
};

}  // namespace collbench::softntb
