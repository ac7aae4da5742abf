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

#include "emulated/conformance/sisci/bench.h"

namespace collbench::conformance::sisci {

/// Values that a SISCI callback received, in order, for a test that waits for them in another thread.
template <typename Value>
class CallbackLog {
 public:
  void add(Value value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    changed_.notify_all();
  }
  /// Waits for the value with this index, from 0, and returns it.
  /// @throws TestFailure after 30 seconds
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

/// A thread that makes a blocking SISCI call. The test then makes another call, which must end the
/// first.
class BlockedCall {
 public:
  explicit BlockedCall(std::function<sci_error_t()> call);
  ~BlockedCall();
  BlockedCall(const BlockedCall&) = delete;
  BlockedCall& operator=(const BlockedCall&) = delete;
  /// Waits until the thread sleeps in the kernel inside the library call.
  /// @throws TestSkipped if it never sleeps, because the library polls
  void await_asleep();
  /// Waits until the call has returned and returns its result.
  /// @throws TestFailure after 30 seconds
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
