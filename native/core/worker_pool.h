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
  /// Number of slices (parts of a transfer's data) that have not been copied yet. If it is read as 0 with
  /// acquire order, all bytes of the transfer are at their destination.
  using PendingSlices = std::atomic<std::uint32_t>;
  /// One part of a transfer's data. The thread that copies it calls run(owner, what), then decrements
  /// `*open`. `what` holds three numbers of the owner's choice, such as addresses and length.
  struct Slice {
    void (*run)(void* owner, const std::array<std::uint64_t, 3>& what) noexcept = nullptr;
    void* owner = nullptr;
    std::array<std::uint64_t, 3> what{};
    PendingSlices* open = nullptr;
  };

  WorkerPool() = default;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  /// Ends the threads. All slices must have run. Must not be called in a forked child, which has a copy of
  /// the object but not the threads.
  ~WorkerPool() { stop(); }

  /// Deleter that deletes the pool only in the process that created it. A forked child has no threads to
  /// join.
  struct Deleter {
    pid_t owner = getpid();
    void operator()(WorkerPool* worker_pool) const {
      if (getpid() == owner) delete worker_pool;
    }
  };

  /// Returns the length in bytes of the slices when `threads` threads copy `bytes`: an equal share, in whole
  /// pages, between 32 and 128 KiB. Slices are long enough that submitting them costs little, and short
  /// enough that all threads end at about the same time.
  static constexpr std::size_t slice_bytes(std::size_t bytes, unsigned threads) noexcept {
    constexpr std::size_t kPage = 4096, kLeast = 32 * 1024, kMost = 128 * 1024;
    const std::size_t share = (bytes / (threads == 0 ? 1 : threads) + kPage - 1) / kPage * kPage;
    return share < kLeast ? kLeast : share > kMost ? kMost : share;
  }

  /// Queues a slice of data for the pool's threads to copy and counts it in `slice.open`. If 1,024 slices are
  /// queued already, the calling thread copies it itself.
  /// @param threads minimum number of pool threads, 1 or more; missing ones are started if the system allows
  void submit(const Slice& slice, unsigned threads) {
    if (started_.load(std::memory_order_acquire) < threads) start(threads);
    slice.open->fetch_add(1, std::memory_order_relaxed);
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    if (!push(slice)) return execute(slice);
    wake_one();
  }

  /// Copies one queued slice on the calling thread, but only if the pool has no threads. Otherwise does
  /// nothing, because the connections that the calling thread serves would wait while it copies.
  void help() {
    if (started_.load(std::memory_order_relaxed) == 0) run_one();
  }

  /// Copies queued slices, of any transfer, on the calling thread until all slices of one transfer are
  /// copied.
  /// @param open number of slices of that transfer that are not copied yet
  void finish(const PendingSlices& open) {
    Spinner spinner(200);
    while (open.load(std::memory_order_acquire) != 0)
      if (!run_one()) spinner.step();
  }

  /// Copies queued slices until all slices of all callers are copied, but for at most a second, because other
  /// threads may keep submitting new ones. Called after an error, before callers free their buffers.
  void drain() {
    Spinner spinner(200);
    const std::int64_t deadline = now_ns() + 1'000'000'000;
    while (unfinished_.load(std::memory_order_acquire) != 0 && now_ns() < deadline)
      if (!run_one()) spinner.step();
  }

  /// Ends the pool's threads, unless slices of data wait to be copied. The next submit() starts them again.
  void stop_if_idle() {
    if (queued_.load() == 0) stop();
  }

 private:
  static constexpr std::size_t kCapacity = 1024;
  /// Time in ns for which an idle thread polls before it sleeps. Waking a thread costs 5 to 50 us, so a
  /// thread should not sleep in pauses of this length.
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

  /// Wakes one sleeping thread if more slices are queued than threads poll. Only one thread is woken at a
  /// time, because waking costs the caller a system call; the woken thread wakes the next. The atomics must
  /// be sequentially consistent, so that no slice is missed: a thread that goes to sleep first counts itself
  /// as sleeping and then looks for slices; a thread that submits first counts its slice and then looks for
  /// sleeping threads.
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

  /// Makes a pool thread wait for a slice: polls for kSearchNs, then sleeps until woken. Another thread may
  /// have taken the slice by the time that this function returns. Returns false if the pool ends.
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
