#pragma once
// The table of metric sources. Adding one: a class here or beside, and a row in sources.cc.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::metrics {

/// A value that a source yields at every read; counters are cumulative, gauges momentary.
struct Channel {
  std::string name;  // "cpu0.busy", "net.lo.rxBytes"
  std::string unit;  // "ns", "bytes", "us", "packets"
  bool cumulative = false;
};

/// Reads some files of the kernel into fixed places. One thread; files stay open and are read with pread.
class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual std::span<const Channel> channels() const = 0;
  /// Writes channels().size() values; NaN where the kernel no longer tells (an interface went away).
  virtual void read(double* values) = 0;
};

struct SourceEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Source> (*open)();  // nullptr where this kernel has nothing of the kind
};
std::span<const SourceEntry> sources();

}  // namespace collbench::metrics
