#pragma once
// The ranks that measure together, seen from one of them. Ranks of the same machine share a SharedState;
// ranks of other machines are reached through the HostLink of the machine's leader (local index 0).
#include <cstdint>

#include "measure/host_link.h"
#include "measure/shared_state.h"

namespace collbench {

class RankGroup {
 public:
  /// @param index this rank's index in the shared state, which holds all ranks unless span() is called
  RankGroup(SharedState& shared_state, int index) noexcept : shared_state_(shared_state), index_(index) {}
  /// Declares that there are ranks on other machines.
  /// @param link the leader's link, which must outlive this object; null on all other ranks
  void span(HostLink* link) noexcept {
    spans_hosts_ = true;
    link_ = link;
  }

  [[nodiscard]] SharedState& shared_state() const noexcept { return shared_state_; }
  [[nodiscard]] int index() const noexcept { return index_; }
  [[nodiscard]] bool spans_hosts() const noexcept { return spans_hosts_; }
  /// Returns true only on rank 0 of the run: the rank that decides, announces starts and counts late ranks.
  [[nodiscard]] bool decides() const noexcept { return index_ == 0 && (!spans_hosts_ || link_->is_root()); }

  // Waits throw Error(kCancelled) if the shared abort flag is set, and Error(kConnectionLost) if another
  // machine is lost. A lost machine sets the flag, so that the machine's other ranks leave, too.

  void barrier();
  /// Measures the clock offsets of all machines before the next block. All ranks call it together; it does
  /// nothing on one machine.
  void synchronise();

  /// Publishes rank 0's decision; all ranks can read it after the next barrier.
  void decide(std::int64_t decision) noexcept {
    shared_state_.decision.store(decision, std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t decision() const noexcept {
    return shared_state_.decision.load(std::memory_order_relaxed);
  }
  /// Returns the total number of late starts so far, on rank 0. The other machines' part is as of the last
  /// barrier.
  [[nodiscard]] std::uint32_t late_ranks() const noexcept;

  /// Rank 0 publishes the common start, on its own machine at once.
  void announce(std::int64_t start_ns);
  /// Called by all other ranks after a barrier that precedes a start. The leader receives the start and
  /// publishes it on its machine's clock.
  void pass_on_start();

  /// Returns the offset that converts times of this machine into the root's. Valid until the next barrier.
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
