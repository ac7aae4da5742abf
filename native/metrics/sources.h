#pragma once
// The table of metric sources. A new source is a file in sources/, its opener in sources/openers.h and a row
// in sources.cc.
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

/// A value that a source delivers; counters are cumulative, gauges momentary.
struct Channel {
  std::string name;  // "object.quantity": "cpu0.user", "net.lo.rxBytes"
  std::string unit;  // "ns", "us", "bytes", "packets", "milliwatt", ...
  bool cumulative = false;
  std::uint32_t every_ticks = 1;  // read at every n-th tick only (Sampler), NaN at the other ticks
};

/// Reads some kernel files into a fixed set of values. One thread reads; the files stay open.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] const std::vector<Channel>& channels() const noexcept { return channels_; }
  /// Writes channels().size() values; NaN if the kernel does not report one (e.g. an interface disappeared).
  virtual void read(double* values) = 0;
  /// Reason why the source is missing fully or in part; nullptr if it is complete. Once set it stays.
  /// Thread-safe.
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
  /// Sets the reason "<what>: <error>"; only the first one is kept. @param error_number errno; 0 = no error
  /// text
  void fail(const char* what, int error_number = 0) noexcept;

 private:
  std::vector<Channel> channels_;
  char reason_[200] = {};
  std::atomic<bool> failed_{false};
};

struct SourceContext {
  Roots roots;
  std::shared_ptr<RankSlots> ranks;  // nullptr = this process has no ranks
};

struct SourceEntry {
  std::string_view name;
  std::string_view summary;
  /// @throws Error(kUnavailable) with the reason if this machine lacks what the source reads
  std::unique_ptr<Source> (*open)(const SourceContext&);
  /// Shortest interval between reads, for a source that is slow or rarely changes.
  std::int64_t min_period_ns = 0;
};
std::span<const SourceEntry> sources();

}  // namespace collbench::metrics
