#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "metrics/histogram.h"
#include "metrics/ring.h"
#include "metrics/sampler.h"

namespace collbench::metrics {

/// Reads a Sampler at fixed instants in a thread of its own and keeps the rows until they are taken. The
/// thread allocates nothing after its start and takes no lock that another one holds for long.
class SamplerThread {
 public:
  struct Options {
    std::int64_t interval_ns = 200'000'000;
    /// Called by the thread when three quarters of the ring wait, once until rows are taken. Must not block.
    std::function<void()> on_filling;
  };
  /// Reads at once, then every interval. @throws Error(kInternal) when the kernel gives no timer
  SamplerThread(Sampler& sampler, Options options);
  /// Ends as stop() does.
  ~SamplerThread();
  SamplerThread(const SamplerThread&) = delete;
  SamplerThread& operator=(const SamplerThread&) = delete;

  /// Rows that wait to be taken, oldest first, for one reading thread.
  [[nodiscard]] const RowRing& rows() const noexcept { return ring_; }
  void release(std::size_t rows) noexcept;

  /// Moves the thread off these cores as far as the process has others. Any thread.
  void keep_off(const std::vector<int>& cores) noexcept;

  /// One more whole reading, then the end. The rows stay until they are taken.
  void stop();

  struct Summary {
    std::uint64_t ticks = 0;         // rows read
    std::uint64_t missed_ticks = 0;  // instants without a row: the thread came late, or the ring was full
    std::int64_t cpu_ns = 0;         // CLOCK_THREAD_CPUTIME_ID of the thread
    Histogram jitter_ns;             // from an instant to its reading's start
  };
  /// After stop().
  [[nodiscard]] const Summary& summary() const noexcept { return summary_; }

 private:
  void run();
  void tick(std::int64_t due_ns, bool whole);

  Sampler& sampler_;
  Options options_;
  RowRing ring_;
  Summary summary_;
  int timer_ = -1;
  std::atomic<bool> stopping_{false}, told_filling_{false};
  std::thread thread_;
};

}  // namespace collbench::metrics
