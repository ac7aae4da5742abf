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
  /// Calls stop() if it was not called before.
  ~SamplerThread();
  SamplerThread(const SamplerThread&) = delete;
  SamplerThread& operator=(const SamplerThread&) = delete;

  /// Returns the ring with the readings that release() has not freed yet, oldest first. A row has one number
  /// per metric channel. Only one thread may read it.
  [[nodiscard]] const RowRing& rows() const noexcept { return ring_; }
  /// Frees the `rows` oldest rows of the ring, after the caller has sent them.
  void release(std::size_t rows) noexcept;

  /// Keeps this thread off the cores of the ranks, if the process may use other cores; else allows it all
  /// cores of the process. Replaces earlier calls; has no effect after stop(). Thread-safe.
  void keep_off(const std::vector<int>& cores) noexcept;

  /// Reads all metric sources a last time and ends the thread. Readings not released stay available. Further
  /// calls do nothing.
  void stop();

  /// Regularity and CPU time of all readings that the thread has made.
  struct Summary {
    std::uint64_t ticks = 0;         // rows read
    std::uint64_t missed_ticks = 0;  // instants without a row: the thread was late, or the ring was full
    std::int64_t cpu_ns = 0;         // CPU time of the thread (CLOCK_THREAD_CPUTIME_ID)
    Histogram jitter_ns;             // delay from the planned instant to the start of the reading
  };
  /// Returns counts and delays of all readings; valid only after stop().
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
