#pragma once
// Threads and callbacks for which a test waits.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/sisci/bench.h"

namespace collbench::conformance::sisci {

/// Values that callbacks received, for the waiting thread.
template <typename Value>
class CallbackLog {
 public:
  void add(Value value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    changed_.notify_all();
  }
  /// Value number `index`. @throws TestFailure after kPatienceMs
  Value at(std::size_t index) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, std::chrono::milliseconds(kPatienceMs),
                                        [&] { return values_.size() > index; });
    expect(came, std::to_string(index + 1) + " calls of the callback", std::to_string(values_.size()));
    return values_[index];
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return values_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Value> values_;
};

/// A thread inside a blocking call of the library that another call must end.
class BlockedCall {
 public:
  explicit BlockedCall(std::function<sci_error_t()> call);
  ~BlockedCall();
  BlockedCall(const BlockedCall&) = delete;
  BlockedCall& operator=(const BlockedCall&) = delete;
  /// Waits until the thread sleeps in the call. @throws TestSkipped if it does not sleep, because the library
  /// polls
  void await_asleep();
  /// Result of the call. @throws TestFailure after kPatienceMs
  sci_error_t result();

 private:
  struct State {
    std::atomic<pid_t> thread_id{0};
    CallbackLog<sci_error_t> result;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();  // shared with a thread that is left behind
  std::thread thread_;
};

}  // namespace collbench::conformance::sisci
