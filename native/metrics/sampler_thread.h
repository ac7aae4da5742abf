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

/// A thread that reads a Sampler at regular instants and keeps the rows until another thread takes them.
/// After its start it allocates no memory, and waits for no lock that other threads hold for long.
class SamplerThread {
 public:
  struct Options {
    std::int64_t interval_ns = 200'000'000;
    /// Called in the sampling thread when three quarters of the memory for rows are full; once, then again
    /// only after rows were taken. Must not block.
    std::function<void()> on_filling;
  };
  /// Starts the thread, which reads at once and then at every interval.
  /// @throws Error(kInternal) if the kernel provides no timer
  SamplerThread(Sampler& sampler, Options options);
  /// Reads all sources once more and ends the thread, unless stop() was called.
  ~SamplerThread();
  SamplerThread(const SamplerThread&) = delete;
  SamplerThread& operator=(const SamplerThread&) = delete;

  /// Returns the rows that have not been taken, oldest first. Only one thread may read them.
  [[nodiscard]] const RowRing& rows() const noexcept { return ring_; }
  /// Frees the oldest rows, after the caller has taken them.
  void release(std::size_t rows) noexcept;

  /// Keeps the thread from running on these cores, if the process may use others. Thread-safe.
  void keep_off(const std::vector<int>& cores) noexcept;

  /// Reads all sources once more and ends the thread. Rows that were not taken stay available.
  void stop();

  /// Statistics of the finished sampling.
  struct Summary {
    std::uint64_t ticks = 0;         // rows read
    std::uint64_t missed_ticks = 0;  // instants without a row: the thread was late, or the ring was full
    std::int64_t cpu_ns = 0;         // CPU time of the thread (CLOCK_THREAD_CPUTIME_ID)
    Histogram jitter_ns;             // delay from the planned instant to the start of the reading
  };
  /// Returns the summary; valid only after stop().
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
