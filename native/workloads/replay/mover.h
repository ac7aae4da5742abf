#pragma once
// Runs the calls of a step one after the other in the order of issuing, beside the thread that issues them.
#include <atomic>
#include <cstdint>
#include <functional>

#include "engines/engine.h"
#include "workloads/controlpath/actor.h"

namespace collbench::replay {

class Mover {
 public:
  /// @param calls outlive it
  Mover(Engine& engine, const std::vector<Call>& calls, std::uint32_t spins);

  void begin();
  /// The next call may start. Returns at once.
  void issue() noexcept { issued_.fetch_add(1, std::memory_order_release); }
  /// Returns when all issued calls have ended. @throws what a call threw; Error(kCancelled)
  void wait();
  /// Ends the step, all of whose calls were issued.
  void end();
  /// Time that calls took since begin(), ns.
  [[nodiscard]] std::int64_t moving_ns() const noexcept { return moving_ns_; }

 private:
  void move_all();
  template <class Done>
  void await_until(Done done);

  Engine& engine_;
  const std::vector<Call>& calls_;
  const std::uint32_t spins_;
  const std::function<void()> job_;
  std::atomic<std::size_t> issued_{0}, moved_{0};
  std::int64_t moving_ns_ = 0;
  controlpath::Actor actor_;  // ends first
};

}  // namespace collbench::replay
