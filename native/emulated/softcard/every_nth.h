#pragma once
#include <atomic>
#include <cstdint>

namespace collbench::softcard {

/// Decides when a fault occurs: at every `every`-th occasion; 0 = never. Occasions are counted per process.
/// Thread-safe.
class EveryNth {
 public:
  void set(std::uint64_t every) noexcept { every_ = every; }
  /// True if the fault is switched on.
  [[nodiscard]] bool armed() const noexcept { return every_ != 0; }
  /// Counts one occasion. True if the fault occurs at it.
  bool strike() noexcept {
    return every_ != 0 && (count_.fetch_add(1, std::memory_order_relaxed) + 1) % every_ == 0;
  }

 private:
  std::uint64_t every_ = 0;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace collbench::softcard
