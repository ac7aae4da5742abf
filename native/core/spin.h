#pragma once
#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "core/clock.h"
#include "core/cores.h"

namespace collbench {

/// Tells the processor that the thread is polling (pause instruction). Implemented with a compiler built-in,
/// because including <immintrin.h> would double the code that each file compiles.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Lets other threads run on this thread's core: yields. After a yield in which another program had the core
/// for long, sleeps 20 us instead, for 50 ms. Reason: the scheduler lets a thread that slept run before
/// programs that always compute, but a thread that yields waits for a whole time slice of each.
/// @returns true if it slept
inline bool yield_core() noexcept {
  // A waiting rank returns the core sooner than this; a program that computes uses its whole time slice,
  // which is 1.4 ms or more on two processors.
  constexpr std::int64_t kLongYieldNs = 500'000;
  constexpr std::int64_t kSharedForNs = 50'000'000;
  // One for all threads of a process: leak checkers cannot read thread-local memory of libraries that are
  // opened at run time.
  static std::atomic<std::int64_t> shared_until_ns{0};
  const std::int64_t began = now_ns();
  if (began < shared_until_ns.load(std::memory_order_relaxed)) {
    constexpr timespec kNap{0, 20'000};
    nanosleep(&kNap, nullptr);
    return true;
  }
  sched_yield();
  const std::int64_t ended = now_ns();
  if (ended - began > kLongYieldNs) shared_until_ns.store(ended + kSharedForNs, std::memory_order_relaxed);
  return false;
}

/// Pauses between polls of a waiting loop. The first `spins` steps execute a pause instruction, later ones
/// yield the core. With 0 spins, only 64 steps yield. Later ones, and those after a yield_core() that slept,
/// sleep 20 us, doubled up to 320 us, so that the thread waited for gets the core. Use one object per wait
/// and call `step()` after every poll that found nothing.
class Spinner {
 public:
  /// @param spins polls before the thread yields its core; 0 = there are more ranks than hardware threads
  explicit Spinner(std::uint32_t spins = kDefaultSpins) noexcept : spins_(spins) {}
  void step() noexcept {
    if (count_ < spins_) {
      ++count_;
      cpu_relax();
    } else if (!sleeps_) {
      sleeps_ = yield_core() || (spins_ == 0 && ++count_ == kYields);
    } else {
      const timespec nap{0, nap_ns_};
      nanosleep(&nap, nullptr);
      nap_ns_ = nap_ns_ < kLongestNapNs ? 2 * nap_ns_ : nap_ns_;
    }
  }
  /// True if steps sleep from now on, so that a caller that can be woken by new data should now wait for the
  /// data.
  [[nodiscard]] bool sleeps() const noexcept { return sleeps_; }

  static constexpr std::uint32_t kDefaultSpins = 20'000;
  static constexpr std::uint32_t kSharedCoreSpins = 1;

 private:
  static constexpr std::uint32_t kYields = 64;
  static constexpr long kFirstNapNs = 20'000, kLongestNapNs = 320'000;

  long nap_ns_ = kFirstNapNs;
  std::uint32_t spins_;
  std::uint32_t count_ = 0;
  bool sleeps_ = false;
};

/// Returns the number of polls before a wait yields, if `waiting` threads or processes poll at the same time:
/// kDefaultSpins up to the usable cores. With more, up to the hardware threads, a wait yields after one poll,
/// since polling would slow down the core's other hardware thread. With more than these, 0: Spinner sleeps
/// after some yields.
inline std::uint32_t spins_for(int waiting, UsableCpus usable = usable_cpus()) noexcept {
  const auto [cores, threads] = usable;
  return waiting <= cores ? Spinner::kDefaultSpins : waiting <= threads ? Spinner::kSharedCoreSpins : 0;
}

}  // namespace collbench
