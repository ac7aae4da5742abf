#include "emulated/softntb/segment_events.h"

#include <chrono>

#include "emulated/softntb/threads.h"

namespace collbench::softntb {

void SegmentEvents::push(const SegmentEvent& event) {
  const std::lock_guard lock(mutex_);
  if (closed_ || silent_) return;
  if (callback_) {
    threads().callbacks.post(this, [this, event] {
      {
        const std::lock_guard inner(mutex_);
        if (silent_ || closed_) return true;
      }
      if (callback_(event) != SCI_CALLBACK_CANCEL) return true;
      const std::lock_guard inner(mutex_);
      silent_ = true;
      return true;
    });
    return;
  }
  if (events_.size() == kCapacity) events_.pop_front();
  events_.push_back(event);
  changed_.notify_all();
}

sci_error_t SegmentEvents::wait(unsigned timeout_ms, SegmentEvent* event) {
  std::unique_lock lock(mutex_);
  if (callback_) return SCI_ERR_ILLEGAL_OPERATION;
  ++waiters_;
  const auto ready = [&] { return closed_ || !events_.empty(); };
  bool woken = true;
  if (timeout_ms == SCI_INFINITE_TIMEOUT) {
    changed_.wait(lock, ready);
  } else {
    woken = changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready);
  }
  --waiters_;
  if (closed_) {
    changed_.notify_all();
    return SCI_ERR_CANCELLED;
  }
  if (!woken) return SCI_ERR_TIMEOUT;
  *event = events_.front();
  events_.pop_front();
  return SCI_ERR_OK;
}

void SegmentEvents::close() {
  {
    std::unique_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return waiters_ == 0; });
  }
  threads().callbacks.drop(this);
}

}  // namespace collbench::softntb
