#pragma once
// State shared by all objects of one sisci transport; comms keep it alive after the transport is destroyed.
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "core/clock.h"
#include "core/worker_pool.h"
#include "transports/counters.h"
#include "transports/sisci/objects.h"
#include "transports/transport.h"

namespace collbench::sisci {

/// Returns the copy threads that all sisci transports of the process share. They end when the last transport
/// and its last comm are destroyed.
inline std::shared_ptr<WorkerPool> shared_worker_pool() {
  static std::mutex mutex;
  static std::weak_ptr<WorkerPool> known;
  const std::lock_guard lock(mutex);
  auto worker_pool = known.lock();
  if (worker_pool == nullptr)
    known = worker_pool = std::shared_ptr<WorkerPool>(new WorkerPool, WorkerPool::Deleter{});
  return worker_pool;
}

/// State that a sisci transport shares with its listeners and comms, which may live longer than itself.
class TransportState {
 public:
  TransportState(const Adapter& local_adapter, const TransportOptions& transport_options,
                 unsigned copier_threads)
      : adapter(local_adapter),
        options(transport_options),
        copiers(copier_threads),
        worker_pool(shared_worker_pool()) {}
  const Adapter adapter;
  const TransportOptions options;
  /// Number of threads that copy large parts of messages from the staging memory to the receive buffers; 0 =
  /// the receiving thread copies itself.
  const unsigned copiers;
  const std::shared_ptr<WorkerPool> worker_pool;
  CounterTable counters;

  /// Records the kind of DMA that a new connection uses. path() returns the slowest kind that any connection
  /// uses (kUserMemory is slower than kRegistered), as number of a DmaPath; -1 before the first connection.
  void note_path(DmaPath path) {
    int seen = path_.load();
    while (seen < static_cast<int>(path) && !path_.compare_exchange_weak(seen, static_cast<int>(path))) {
    }
  }
  [[nodiscard]] int path() const { return path_.load(); }

 private:
  std::atomic<int> path_{-1};
};

/// Timer for the check whether a peer still lives. Waiting code calls is_due() at every empty poll. To keep
/// that fast, the timer reads the clock only at every kPolls-th call.
class PeerCheckTimer {
 public:
  /// True, at most once every kIntervalNs, if the caller should check now whether the peer still lives.
  bool is_due() noexcept {
    if (++polls_ % kPolls != 0) return false;
    const std::int64_t now = now_ns();
    if (now - last_ < kIntervalNs) return false;
    last_ = now;
    return true;
  }

 private:
  static constexpr std::uint32_t kPolls = 256;
  static constexpr std::int64_t kIntervalNs = 100'000'000;
  std::uint32_t polls_ = 0;
  std::int64_t last_ = now_ns();
};

}  // namespace collbench::sisci
