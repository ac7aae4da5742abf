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

/// Size in bytes of a slice. A long transfer reserves the link slice by slice, so that transfers that run at
/// the same time take turns, as the queues of an adapter do.
inline constexpr std::uint64_t kWireSliceBytes = 64 * 1024;

/// Reservations of one direction of an adapter's link. Slices of transfers use the wire one after the other,
/// in the order in which they reserve it. A slice reserves the outgoing direction of one adapter and then the
/// incoming direction of the other. Thread-safe and lock-free, also in memory that processes share.
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
