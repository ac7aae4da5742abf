#pragma once
// Threads that copy data for a busy thread, as a DMA engine does. The busy thread submits slices and polls
// whether they are done. It never waits for a lock that is held for long. It runs slices itself only if too
// many are queued or it waits for their end. Threads start with the first slice, poll for work for a short
// while and then sleep.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/clock.h"
#include "core/spin.h"

namespace collbench {

class WorkerPool {
 public:
  /// Number of slices of one transfer that have not run yet. Reading 0 with acquire order means that all its
  /// bytes are in place.
  using PendingSlices = std::atomic<std::uint32_t>;
  struct Slice {
    void (*run)(void* owner, const std::array<std::uint64_t, 3>& what) noexcept = nullptr;
    void* owner = nullptr;
    std::array<std::uint64_t, 3> what{};
    PendingSlices* open = nullptr;
  };

  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  /// All slices must have run. The destructor must not run in a forked child, which has the object but not
  /// the threads.
  ~WorkerPool() { stop(); }

  /// Deletes the pool only in the process that created it; a forked child has no threads to join.
  struct Deleter {
    pid_t owner = getpid();
    void operator()(WorkerPool* worker_pool) const {
      if (getpid() == owner) delete worker_pool;
    }
  };

  /// Returns the bytes per slice with which `threads` share `bytes`, in whole pages. Slices are large enough
  /// to outweigh the cost of submitting them and small enough that all threads end at about the same time.
  static constexpr std::size_t slice_bytes(std::size_t bytes, unsigned threads) noexcept {
    constexpr std::size_t kPage = 4096, kLeast = 32 * 1024, kMost = 128 * 1024;
    const std::size_t share = (bytes / (threads == 0 ? 1 : threads) + kPage - 1) / kPage * kPage;
    return share < kLeast ? kLeast : share > kMost ? kMost : share;
  }

  /// Queues a slice for one of `threads` (at least 1) threads. Runs it on the calling thread if the queue is
  /// full.
  void submit(const Slice& slice, unsigned threads) {
    if (started_.load(std::memory_order_acquire) < threads) start(threads);
    slice.open->fetch_add(1, std::memory_order_relaxed);
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    if (!push(slice)) return execute(slice);
    wake_one();
  }

  /// Runs one slice on the calling thread if no pool thread could be started. If there are pool threads it
  /// does nothing: while the busy thread copies, its connections wait.
  void help() {
    if (started_.load(std::memory_order_relaxed) == 0) run_one();
  }

  /// Runs queued slices until `open` is 0.
  void finish(const PendingSlices& open) {
    Spinner spinner(200);
    while (open.load(std::memory_order_acquire) != 0)
      if (!run_one()) spinner.step();
  }

  /// Runs queued slices until all submitted ones are done. Needed after an error, when callers free their
  /// buffers at once. Gives up after a second if others keep submitting.
  void drain() {
    Spinner spinner(200);
    const std::int64_t deadline = now_ns() + 1'000'000'000;
    while (unfinished_.load(std::memory_order_acquire) != 0 && now_ns() < deadline)
      if (!run_one()) spinner.step();
  }

  /// Ends the threads unless slices are queued. The next submit() starts them again.
  void stop_if_idle() {
    if (queued_.load() == 0) stop();
  }

 private:
  static constexpr std::size_t kCapacity = 1024;
  /// Time for which an idle thread polls before it sleeps. A wake-up costs 5 to 50 us, so the thread polls
  /// through pauses of that length.
  static constexpr std::int64_t kSearchNs = 100'000;

  void execute(const Slice& slice) noexcept {
    slice.run(slice.owner, slice.what);
    slice.open->fetch_sub(1, std::memory_order_release);  // The owner may delete `open` from here on.
    unfinished_.fetch_sub(1, std::memory_order_release);
  }

  // The ring is locked only for a few loads and stores. A mutex instead could put the busy thread to sleep.
  void lock_ring() noexcept {
    Spinner spinner(100);
    while (ring_locked_.exchange(true, std::memory_order_acquire)) spinner.step();
  }
  void unlock_ring() noexcept { ring_locked_.store(false, std::memory_order_release); }

  bool push(const Slice& slice) noexcept {
    lock_ring();
    const bool room = last_ - first_ < kCapacity;
    if (room) {
      ring_[last_++ % kCapacity] = slice;
      queued_.store(static_cast<std::uint32_t>(last_ - first_));
    }
    unlock_ring();
    return room;
  }

  bool pop(Slice* slice) noexcept {
    if (queued_.load(std::memory_order_relaxed) == 0) return false;
    lock_ring();
    const bool some = first_ != last_;
    if (some) {
      *slice = ring_[first_++ % kCapacity];
      queued_.store(static_cast<std::uint32_t>(last_ - first_));
    }
    unlock_ring();
    return some;
  }

  bool run_one() noexcept {
    Slice slice;
    if (!pop(&slice)) return false;
    execute(slice);
    return true;
  }

  /// Wakes one sleeping thread if fewer threads poll than slices are queued. Only one wake-up is under way at
  /// a time, because each costs its caller a system call; the woken thread wakes the next. The atomics are
  /// sequentially consistent on purpose. A thread going to sleep first counts itself as sleeping and then
  /// looks for slices. A thread submitting a slice first counts the slice and then looks for sleepers.
  void wake_one() {
    if (sleeping_.load() == 0 || waking_.load() || queued_.load() <= searching_.load()) return;
    {
      const std::lock_guard lock(mutex_);
      if (sleeping_.load() == 0 || waking_.load()) return;
      waking_.store(true);
    }
    work_.notify_one();
  }

  void run() {
    use_any_core();
    while (await_work()) {
      Slice slice;
      while (pop(&slice)) {
        wake_one();
        execute(slice);
      }
    }
  }

  /// Waits for a slice. Returns false when the thread must end.
  bool await_work() {
    searching_.fetch_add(1);
    const std::int64_t deadline = now_ns() + kSearchNs;
    Spinner spinner(1'000);
    bool found = false;
    for (std::uint32_t n = 1; !found; ++n) {
      found = queued_.load() != 0 || stopping_.load();
      if (!found && n % 16 == 0 && now_ns() >= deadline) break;
      if (!found) spinner.step();
    }
    searching_.fetch_sub(1);
    if (!found) {
      std::unique_lock lock(mutex_);
      sleeping_.fetch_add(1);
      // The thread waits only once here. If others have taken the slice that it was woken for, it polls
      // again, since more slices are likely.
      if (queued_.load() == 0 && !stopping_.load()) work_.wait(lock);
      sleeping_.fetch_sub(1);
      waking_.store(false);
    }
    return !stopping_.load();
  }

  void start(unsigned threads) {
    const std::lock_guard life(life_);
    try {
      while (threads_.size() < threads) threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      // The system has no more threads; the running ones or the callers do the work.
    }
    started_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_release);
  }

  void stop() {
    const std::lock_guard life(life_);
    if (threads_.empty()) return;
    started_.store(0);
    {
      const std::lock_guard lock(mutex_);
      stopping_.store(true);
    }
    work_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    stopping_.store(false);
  }

  std::atomic<std::uint32_t> queued_{0}, unfinished_{0};
  std::atomic<std::uint32_t> searching_{0}, sleeping_{0}, started_{0};
  std::atomic<bool> waking_{false}, stopping_{false};

  alignas(64) std::atomic<bool> ring_locked_{false};
  std::uint64_t first_ = 0, last_ = 0;
  std::array<Slice, kCapacity> ring_;

  std::mutex mutex_;  // Protects falling asleep and waking up.
  std::condition_variable work_;
  std::mutex life_;
  std::vector<std::thread> threads_;
};

}  // namespace collbench
