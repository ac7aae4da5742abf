#pragma once
// The ranks that measure together, seen from one of them. Ranks of the same machine share a SharedState;
// ranks of other machines are reached through the HostLink of the machine's leader (local index 0).
#include <cstdint>

#include "measure/host_link.h"
#include "measure/shared_state.h"

namespace collbench {

class RankGroup {
 public:
  /// @param index this rank's index among the ranks of the shared state. These are all ranks of the launch,
  /// unless span() is called.
  RankGroup(SharedState& shared_state, int index) noexcept : shared_state_(shared_state), index_(index) {}
  /// Must be called if other machines also have ranks.
  /// @param link connection between the machines, only on the leader of this machine; must exist longer than
  /// this object. Null on all other ranks.
  void span(HostLink* link) noexcept {
    spans_hosts_ = true;
    link_ = link;
  }

  [[nodiscard]] SharedState& shared_state() const noexcept { return shared_state_; }
  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] bool spans_hosts() const noexcept { return spans_hosts_; }
  /// Returns true only on rank 0 of the launch, which decides the number of samples, announces starts and
  /// counts late ranks.
  [[nodiscard]] bool decides() const noexcept { return index_ == 0 && (!spans_hosts_ || link_->is_root()); }

  // Waits throw Error(kCancelled) if the shared abort flag is set, and Error(kConnectionLost) if another
  // machine is lost. A lost machine sets the flag, so that the machine's other ranks leave, too.

  void barrier();
  /// Measures the clock offsets between all machines by messages between their leaders. All leaders must call
  /// it together; on other ranks, and with one machine only, it does nothing.
  void synchronise();

  /// Publishes a number that rank 0 has decided, such as the number of samples; all ranks can read it after
  /// the next barrier.
  void decide(std::int64_t decision) noexcept {
    shared_state_.decision.store(decision, std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t decision() const noexcept {
    return shared_state_.decision.load(std::memory_order_relaxed);
  }
  /// Returns, on rank 0, how many times ranks were late for a common start so far. Other machines are counted
  /// as of the last barrier.
  [[nodiscard]] std::uint32_t late_ranks() const noexcept;

  /// Publishes the common start time, in ns of the clock of rank 0's machine. Called by rank 0; ranks of its
  /// machine can read it at once, leaders of other machines receive it with pass_on_start().
  void announce(std::int64_t start_ns);
  /// Must be called by all ranks except rank 0 after the barrier before a start. The leader of another
  /// machine receives the start time and publishes it there, converted to the machine's clock. Other ranks
  /// return at once.
  void pass_on_start();

  /// Returns the offset from this machine's clock to the root's clock, with its uncertainty, as of the last
  /// barrier or start. Adding it to this machine's times gives times of the root. Both are 0 if there is only
  /// one machine.
  [[nodiscard]] ClockReading clock() const noexcept {
    return {shared_state_.clock_offset_ns.load(std::memory_order_relaxed),
            shared_state_.clock_uncertainty_ns.load(std::memory_order_relaxed)};
  }

 private:
  template <class Exchange>
  void exchange_between_hosts(Exchange exchange);
  void store_clock() noexcept;
  void publish_start(std::int64_t start_ns) noexcept;

  SharedState& shared_state_;
  int index_;
  bool spans_hosts_ = false;
  HostLink* link_ = nullptr;
};

}  // namespace collbench
