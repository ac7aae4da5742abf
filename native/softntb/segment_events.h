#pragma once
// What a segment's owner or user is told about the connection: kept for the caller that waits, or handed to a
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

/// Bounded queue of events (the oldest is dropped past kCapacity), or a callback that takes their place.
class SegmentEvents {
 public:
  static constexpr std::size_t kCapacity = 1024;
  using Callback = std::function<sci_callback_action_t(const SegmentEvent&)>;

  /// @param callback empty = events are waited for
  explicit SegmentEvents(Callback callback) : callback_(std::move(callback)) {}
  void push(const SegmentEvent& event);
  /// SCI_ERR_OK with `*event`, SCI_ERR_TIMEOUT, SCI_ERR_CANCELLED, or SCI_ERR_ILLEGAL_OPERATION when a
  /// callback has the events. @param timeout_ms SCI_INFINITE_TIMEOUT = for ever
  sci_error_t wait(unsigned timeout_ms, SegmentEvent* event);
  /// Wakes and outwaits everybody; no callback runs afterwards.
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
