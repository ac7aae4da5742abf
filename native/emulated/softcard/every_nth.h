#pragma once
#include <atomic>
#include <cstdint>

namespace collbench::softcard {

/// Decides when an injected fault occurs: at every N-th occasion, counted per process; N = 0 means never.
/// Thread-safe.
class EveryNth {
 public:
  void set(std::uint64_t every) noexcept { every_ = every; }
  /// Counts one occasion. Returns true if the fault occurs now.
  bool strike() noexcept {
    return every_ != 0 && (count_.fetch_add(1, std::memory_order_relaxed) + 1) % every_ == 0;
  }

 private:
  std::uint64_t every_ = 0;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace collbench::softcard
