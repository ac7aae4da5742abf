#pragma once
// Bytes and messages that transports have sent and received: counted per comm, summed per transport.
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "transports/transport.h"

namespace collbench {

/// Traffic counters of one comm (one direction of one connection). The thread that uses the comm writes them,
/// any thread may read them. Aligned to a cache line, so that two comms never share one.
struct alignas(64) CommCounters {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::uint64_t> flagged{0};
  /// Counts one message of this length. Only the comm's thread writes the counters, so no locked add is
  /// needed.
  void add(std::uint64_t message_bytes) noexcept {
    bytes.store(bytes.load(std::memory_order_relaxed) + message_bytes, std::memory_order_relaxed);
    messages.store(messages.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Counts a message whose words carried flags (a form for short messages, transports/flagged_words.h). Call
  /// it in addition to add().
  void add_flagged() noexcept {
    flagged.store(flagged.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// Counters of all comms that a transport has ever made, closed comms included, so that totals never
/// decrease. The transport and its comms share the table, because a comm may outlive its transport.
class CounterTable {
 public:
  /// Adds the counters for a new comm; the reference is valid as long as the table exists.
  /// @param sends true for a send comm, false for a receive comm
  CommCounters& open(bool sends) {
    const std::lock_guard lock(mutex_);
    return (sends ? sent_ : received_).emplace_back();
  }
  [[nodiscard]] TransportCounters sum() const {
    const std::lock_guard lock(mutex_);
    TransportCounters sum;
    for (const CommCounters& comm : sent_) {
      sum.bytes_sent += comm.bytes, sum.messages_sent += comm.messages;
      sum.flagged_sent += comm.flagged;
    }
    for (const CommCounters& comm : received_)
      sum.bytes_received += comm.bytes, sum.messages_received += comm.messages;
    return sum;
  }

 private:
  mutable std::mutex mutex_;
  std::list<CommCounters> sent_, received_;
};

/// Adds the counters for a new comm to the table and returns them. The returned pointer keeps the whole table
/// alive, because a comm may outlive its transport.
/// @param sends true for a send comm, false for a receive comm
inline std::shared_ptr<CommCounters> counters_of(const std::shared_ptr<CounterTable>& table, bool sends) {
  return {table, &table->open(sends)};
}

/// Returns the bytes and messages that a transport has moved between two readings of its counters.
inline TransportCounters operator-(const TransportCounters& after, const TransportCounters& before) noexcept {
  return {after.bytes_sent - before.bytes_sent, after.bytes_received - before.bytes_received,
          after.messages_sent - before.messages_sent, after.messages_received - before.messages_received,
          after.flagged_sent - before.flagged_sent};
}

}  // namespace collbench
