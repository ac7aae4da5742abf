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

#include "metrics/kernel_file.h"
#include "metrics/rank_slots.h"

namespace collbench::metrics {

/// Name and unit of one number that a metric source delivers. `cumulative` is true for counters that only
/// grow, false for momentary values.
struct MetricChannel {
  std::string name;  // "object.quantity": "cpu0.user", "net.lo.rxBytes"
  std::string unit;  // "ns", "us", "bytes", "packets", "milliwatt", ...
  bool cumulative = false;
  std::uint32_t every_ticks = 1;  // read at every n-th tick only (Sampler), NaN at the other ticks
};

/// A metric source: reads some files of the kernel, or a library, into a fixed set of numbers. Only one
/// thread may read; files stay open.
class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] const std::vector<MetricChannel>& channels() const noexcept { return channels_; }
  /// Writes the current numbers, channels().size() of them. A number that the kernel does not report is NaN,
  /// e.g. after its interface has disappeared.
  virtual void read(double* values) = 0;
  /// Returns why the source cannot be read, fully or in part; nullptr if it is complete. Once set, the reason
  /// stays. Thread-safe.
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
  /// Sets the reason that failure() returns: "<what>: <error>". Only the first call has an effect.
  /// @param error_number errno whose text is appended; 0 = none
  void fail(const char* what, int error_number = 0) noexcept;

 private:
  std::vector<MetricChannel> channels_;
  char reason_[200] = {};
  std::atomic<bool> failed_{false};
};

struct SourceContext {
  Roots roots;
  std::shared_ptr<RankSlots> ranks;  // nullptr = this process has no ranks
};

/// A kind of metric source that this build has: name ("net"), one line of description for users, and the
/// function that opens it.
struct SourceEntry {
  std::string_view name;
  std::string_view summary;
  /// Opens the source.
  /// @throws Error(kUnavailable) with the reason if this machine lacks what the source reads
  std::unique_ptr<Source> (*open)(const SourceContext&);
  /// Shortest time in nanoseconds between two reads; above 0 for a source that is slow or rarely changes.
  std::int64_t min_period_ns = 0;
};
std::span<const SourceEntry> sources();

}  // namespace collbench::metrics
