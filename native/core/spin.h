#pragma once
#include <sched.h>
#include <time.h>

#include <cstdint>

#include "core/cores.h"

namespace collbench {

/// By the compiler's own name: <immintrin.h> would double what each file that waits has to compile.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Polling that stays fast when each rank has a core of its own and stays fair when it has not: spins with a
/// pause first, then gives the core away. Where ranks outnumber hardware threads, a wait that goes on sleeps
/// a little between polls: many that only take turns to look keep the one from its core whom all wait for.
/// One instance per wait; `step()` after every empty poll.
class Spinner {
 public:
  /// @param spins empty polls before the core is offered to others; 0 when ranks outnumber hardware threads
  explicit Spinner(std::uint32_t spins = kDefaultSpins) noexcept : spins_(spins) {}
  void step() noexcept {
    if (count_ < spins_) {
      ++count_;
      cpu_relax();
    } else if (spins_ > 0 || count_ < kYields) {
      if (spins_ == 0) ++count_;
      sched_yield();
    } else {
      const timespec nap{0, nap_ns_};
      nanosleep(&nap, nullptr);
      nap_ns_ = nap_ns_ < kLongestNapNs ? 2 * nap_ns_ : nap_ns_;
    }
  }
  static constexpr std::uint32_t kDefaultSpins = 20'000;
  static constexpr std::uint32_t kSharedCoreSpins = 1;

 private:
  static constexpr std::uint32_t kYields = 64;
  static constexpr long kFirstNapNs = 20'000, kLongestNapNs = 320'000;

  long nap_ns_ = kFirstNapNs;
  std::uint32_t spins_;
  std::uint32_t count_ = 0;
};

/// Spin budget when `waiting` threads or processes poll at once. Where they outnumber the cores that they may
/// use, but not the hardware threads, a wait offers its thread at once: it would slow down the sibling that
/// works. Where they outnumber the threads the budget is 0.
inline std::uint32_t spins_for(int waiting, UsableCpus usable = usable_cpus()) noexcept {
  const auto [cores, threads] = usable;
  return waiting <= cores ? Spinner::kDefaultSpins : waiting <= threads ? Spinner::kSharedCoreSpins : 0;
}

}  // namespace collbench
