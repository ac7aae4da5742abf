#pragma once
// State shared by everything one sisci transport object has made; comms keep it alive after the transport is
// gone.
#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "core/clock.h"
#include "core/worker_pool.h"
#include "transports/sisci/objects.h"
#include "transports/transport.h"

namespace collbench::sisci {

/// How large messages travel.
enum class Path {
  kRegistered,  // DMA from and into registered memory, no copy by a CPU
  kUserMemory,  // DMA from user memory into a segment of the receiver's driver, copied out there
};
inline constexpr const char* kPathNames[] = {"registered-memory DMA", "user-memory DMA"};

/// Written by the one thread that owns the comm, read by any.
struct alignas(64) Tally {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::uint64_t> flagged{0};
  void add(std::uint64_t n) noexcept {
    bytes.store(bytes.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    messages.store(messages.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void add_flagged() noexcept {
    flagged.store(flagged.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// One crew for all fabrics of the process, gone with the last of them.
inline std::shared_ptr<WorkerPool> shared_crew() {
  static std::mutex mutex;
  static std::weak_ptr<WorkerPool> known;
  const std::lock_guard lock(mutex);
  auto worker_pool = known.lock();
  if (worker_pool == nullptr)
    known = worker_pool = std::shared_ptr<WorkerPool>(new WorkerPool, WorkerPool::Deleter{});
  return worker_pool;
}

class Fabric {
 public:
  Fabric(const Adapter& local_adapter, const TransportOptions& transport_options, unsigned copier_threads)
      : adapter(local_adapter),
        options(transport_options),
        copiers(copier_threads),
        worker_pool(shared_crew()) {}
  const Adapter adapter;
  const TransportOptions options;
  /// Threads that copy large fragments from staging to where they belong; 0 = the receiving thread does.
  const unsigned copiers;
  const std::shared_ptr<WorkerPool> worker_pool;

  Tally& new_tally(bool sends) {
    const std::lock_guard lock(mutex_);
    return (sends ? sent_ : received_).emplace_back();
  }
  [[nodiscard]] TransportCounters counters() const {
    const std::lock_guard lock(mutex_);
    TransportCounters sum;
    for (const auto& tally : sent_) {
      sum.bytes_sent += tally.bytes, sum.messages_sent += tally.messages;
      sum.flagged_sent += tally.flagged;
    }
    for (const auto& tally : received_)
      sum.bytes_received += tally.bytes, sum.messages_received += tally.messages;
    return sum;
  }
  /// The weaker of all connections' paths; -1 before the first connection.
  void note_path(Path path) {
    int seen = path_.load();
    while (seen < static_cast<int>(path) && !path_.compare_exchange_weak(seen, static_cast<int>(path))) {
    }
  }
  [[nodiscard]] int path() const { return path_.load(); }

 private:
  mutable std::mutex mutex_;
  std::list<Tally> sent_, received_;
  std::atomic<int> path_{-1};
};

/// Notices a dead peer without slowing the hot path: every kPolls empty polls it looks at the clock, every
/// kIntervalNs it asks the driver.
class Watch {
 public:
  /// True when it is time to look whether the peer is still there.
  bool due() noexcept {
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
