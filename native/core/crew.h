#pragma once
// Threads that move bytes for a busy one, as a DMA engine does. The busy thread hands out slices and looks
// now and then whether they are done; it never waits for a lock that is held for long, and it takes slices
// itself only when too many wait or it waits for them. Threads start with the first slice, search for
// work for a short while and then block.
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

class Crew {
 public:
  /// Counts the slices of one piece of work that have not run yet; 0 (acquire) = all bytes are in place.
  using Open = std::atomic<std::uint32_t>;
  struct Slice {
    void (*run)(void* owner, const std::array<std::uint64_t, 3>& what) noexcept = nullptr;
    void* owner = nullptr;
    std::array<std::uint64_t, 3> what{};
    Open* open = nullptr;
  };

  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  /// Nothing may be open any more. Not in a forked child, which has the object but not the threads.
  ~Crew() { stop(); }

  /// Deletes only where the threads are.
  struct Deleter {
    pid_t owner = getpid();
    void operator()(Crew* crew) const {
      if (getpid() == owner) delete crew;
    }
  };

  /// Bytes per slice so that `threads` share `bytes`: enough to outweigh the handing over, few enough for a
  /// short tail. Whole pages.
  static constexpr std::size_t slice_bytes(std::size_t bytes, unsigned threads) noexcept {
    constexpr std::size_t kPage = 4096, kLeast = 32 * 1024, kMost = 128 * 1024;
    const std::size_t share = (bytes / (threads == 0 ? 1 : threads) + kPage - 1) / kPage * kPage;
    return share < kLeast ? kLeast : share > kMost ? kMost : share;
  }

  /// Hands a slice to one of `threads` (at least 1) threads, or runs it here when too many wait already.
  void hand_out(const Slice& slice, unsigned threads) {
    if (started_.load(std::memory_order_acquire) < threads) start(threads);
    slice.open->fetch_add(1, std::memory_order_relaxed);
    unfinished_.fetch_add(1, std::memory_order_relaxed);
    if (!push(slice)) return execute(slice);
    wake_one();
  }

  /// Runs one slice here if no thread of the crew could be started. Otherwise the busy thread keeps to its
  /// work: what it copies itself, its connections wait for.
  void help() {
    if (started_.load(std::memory_order_relaxed) == 0) run_one();
  }

  /// Waits until `open` is 0, taking part in the work.
  void finish(const Open& open) {
    Spinner spinner(200);
    while (open.load(std::memory_order_acquire) != 0)
      if (!run_one()) spinner.step();
  }

  /// Waits until nothing handed out is left, taking part in the work; for after an error, when callers give
  /// up buffers without asking. Gives up after a second if others keep handing out.
  void drain() {
    Spinner spinner(200);
    const std::int64_t deadline = now_ns() + 1'000'000'000;
    while (unfinished_.load(std::memory_order_acquire) != 0 && now_ns() < deadline)
      if (!run_one()) spinner.step();
  }

  /// Ends the threads unless slices wait; the next hand_out() starts them again.
  void stop_if_idle() {
    if (queued_.load() == 0) stop();
  }

 private:
  static constexpr std::size_t kCapacity = 1024;
  static constexpr std::int64_t kSearchNs = 100'000;  // a wake-up costs 5 to 50 us, so pauses of that length
                                                      // between messages are outwaited

  void execute(const Slice& slice) noexcept {
    slice.run(slice.owner, slice.what);
    slice.open->fetch_sub(1, std::memory_order_release);  // the owner may be gone from here on
    unfinished_.fetch_sub(1, std::memory_order_release);
  }

  // The ring is locked for a few loads and stores at a time: a mutex would put the busy thread to sleep.
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

  /// Wakes a thread when those that search are fewer than the slices. One wake-up is under way at a time,
  /// the woken thread wakes the next: a wake-up costs its caller a system call.
  /// Sequentially consistent on purpose: who goes to sleep counts itself first and looks for slices then,
  /// who brings a slice counts it first and looks for sleepers then.
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

  /// False when the thread is to end.
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
      // Once only: who was woken to find the work done by others searches again, for more is likely to come.
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
      // No more threads to be had: those that run, or the callers, do the work.
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

  std::mutex mutex_;  // of those that sleep
  std::condition_variable work_;
  std::mutex life_;
  std::vector<std::thread> threads_;
};

}  // namespace collbench
