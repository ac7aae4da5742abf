#pragma once
// Runs the calls of a step in the order of issuing, on its own thread.
#include <atomic>
#include <cstdint>
#include <functional>

#include "engines/engine.h"
#include "workloads/controlpath/helper_thread.h"

namespace collbench::replay {

class CallQueue {
 public:
  /// @param calls the calls of a step, in their order; must exist longer than this object
  /// @param spins polls before a waiting thread yields its core
  CallQueue(Engine& engine, const std::vector<CollectiveCall>& calls, std::uint32_t spins);

  void begin();
  /// Lets the queue's thread execute the next call of the step, after the earlier ones. Returns immediately.
  void issue() noexcept { issued_.fetch_add(1, std::memory_order_release); }
  /// Returns when all issued calls have ended. @throws the exception of a call; Error(kCancelled)
  void wait();
  /// Waits until all calls of the step have ended, and ends the step. All calls must have been issued.
  void end();
  /// Returns the sum, in ns, of the durations of those calls of this queue that have ended since begin().
  /// Pauses between calls are not included.
  [[nodiscard]] std::int64_t moving_ns() const noexcept { return moving_ns_; }

 private:
  void move_all();
  template <class Done>
  void await_until(Done done);

  Engine& engine_;
  const std::vector<CollectiveCall>& calls_;
  const std::uint32_t spins_;
  const std::function<void()> job_;
  std::atomic<std::size_t> issued_{0}, moved_{0};
  std::int64_t moving_ns_ = 0;
  controlpath::HelperThread actor_;  // Destroyed first.
};

}  // namespace collbench::replay
