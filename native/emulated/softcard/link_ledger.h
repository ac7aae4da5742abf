#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>

namespace collbench::softcard {

/// Time span in which a transfer occupies the wire: from its first byte (`begin_ns`) to its last (`end_ns`).
struct WireSlot {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// Reservations of one direction of an adapter's link. Transfers use the wire one after the other, in the
/// order in which they reserve it. Contention at the receiving adapter is not modelled. Thread-safe and
/// lock-free.
class LinkLedger {
 public:
  /// Reserves the wire for `wire_ns` nanoseconds. The time span begins at `ready_ns`, or when the previous
  /// transfer ends, whichever is later.
  /// @param ready_ns earliest begin, CLOCK_MONOTONIC
  WireSlot reserve(std::int64_t ready_ns, std::int64_t wire_ns) noexcept {
    std::int64_t free_at = free_at_ns_.load(std::memory_order_relaxed);
    WireSlot slot;
    do {
      slot.begin_ns = std::max(ready_ns, free_at);
      slot.end_ns = slot.begin_ns + wire_ns;
    } while (!free_at_ns_.compare_exchange_weak(free_at, slot.end_ns, std::memory_order_relaxed));
    return slot;
  }
  [[nodiscard]] std::int64_t free_at_ns() const noexcept {
    return free_at_ns_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> free_at_ns_{0};
};

}  // namespace collbench::softcard
