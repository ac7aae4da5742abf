#pragma once
// The table of metric sources. Adding one: a file in sources/, its opener in sources/openers.h and a row in
// sources.cc.
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/rank_slots.h"
#include "metrics/roots.h"

namespace collbench::metrics {

/// A value that a source yields; counters are cumulative, gauges momentary.
struct Channel {
  std::string name;  // "object.quantity": "cpu0.user", "net.lo.rxBytes"
  std::string unit;  // "ns", "us", "bytes", "packets", "milliwatt", ...
  bool cumulative = false;
  std::uint32_t every_ticks = 1;  // read at every n-th tick only (Sampler), NaN at the others
};

/// Reads some files of the kernel into fixed places. One thread reads; files stay open and are read again.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] const std::vector<Channel>& channels() const noexcept { return channels_; }
  /// Writes channels().size() values; NaN where the kernel does not tell (an interface went away).
  virtual void read(double* values) = 0;
  /// Why all or a part of it is absent, nullptr while nothing is; once given it stays. Any thread.
  [[nodiscard]] const char* failure() const noexcept {
    return failed_.load(std::memory_order_acquire) ? reason_ : nullptr;
  }

 protected:
  void add_counter(std::string name, std::string unit) {
    channels_.push_back({std::move(name), std::move(unit), true});
  }
  void add_gauge(std::string name, std::string unit) {
    channels_.push_back({std::move(name), std::move(unit), false});
  }
  /// "<what>: <error>"; only the first of them is kept. @param error_number errno, 0 = `what` says it all
  void fail(const char* what, int error_number = 0) noexcept;

 private:
  std::vector<Channel> channels_;
  char reason_[200] = {};
  std::atomic<bool> failed_{false};
};

struct SourceContext {
  Roots roots;
  std::shared_ptr<RankSlots> ranks;  // nullptr = nobody has ranks here
};

struct SourceEntry {
  std::string_view name;
  std::string_view summary;
  /// @throws Error(kUnavailable) with the reason where this machine has nothing of the kind
  std::unique_ptr<Source> (*open)(const SourceContext&);
  /// Not read more often: what costs much, or changes seldom.
  std::int64_t least_period_ns = 0;
};
std::span<const SourceEntry> sources();

}  // namespace collbench::metrics
