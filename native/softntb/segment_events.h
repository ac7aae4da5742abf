#pragma once
// Connection events of a segment for its owner or user: queued for the caller that waits, or passed to a
// callback.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "softntb/include/sisci_api.h"

namespace collbench::softntb {

struct SegmentEvent {
  sci_segment_cb_reason_t reason = SCI_CB_CONNECT;
  unsigned node = 0;
  unsigned adapter = 0;
  sci_error_t status = SCI_ERR_OK;
};

/// Bounded queue of events that drops the oldest beyond kCapacity; or a callback that receives them instead.
class SegmentEvents {
 public:
  static constexpr std::size_t kCapacity = 1024;
  using Callback = std::function<sci_callback_action_t(const SegmentEvent&)>;

  /// @param callback empty = events are fetched with wait()
  explicit SegmentEvents(Callback callback) : callback_(std::move(callback)) {}
  void push(const SegmentEvent& event);
  /// SCI_ERR_OK with `*event`, SCI_ERR_TIMEOUT, SCI_ERR_CANCELLED, or SCI_ERR_ILLEGAL_OPERATION if a callback
  /// receives the events. @param timeout_ms SCI_INFINITE_TIMEOUT = no limit
  sci_error_t wait(unsigned timeout_ms, SegmentEvent* event);
  /// Cancels waits and waits until no waiter and no callback runs; none starts afterwards.
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
