#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/kernel_file.h"
#include "metrics/sources.h"

namespace collbench::metrics {

/// One number that a metric source reads from a kernel file with lines "key number ...", such as
/// /proc/meminfo, and the metric channel that gets it.
struct KeyedValue {
  std::string_view key;  // first word of the line, including a colon at its end
  const char* channel;   // name of the channel for this number
  const char* unit;
  bool cumulative = true;
  double scale = 1;  // unit of the channel divided by unit of the file
};

/// Reads numbers from `text`, which has lines "key number ...": values[i] is the number of keys[i] times its
/// scale. It is NaN if the line is missing or has no number. If a key occurs twice, its first line with a
/// number counts.
void read_keyed(std::string_view text, std::span<const KeyedValue> keys, double* values) noexcept;

/// Metric source that reads one file whose lines have the form "key number ...". Keys that this kernel does
/// not have are left out.
class KeyedSource : public Source {
 public:
  /// Opens the file.
  /// @param keys numbers to read; the texts in it must stay valid as long as the source
  /// @throws Error(kUnavailable) if the file cannot be read or has none of the keys
  KeyedSource(const std::string& path, std::span<const KeyedValue> keys);
  void read(double* values) override;

 private:
  std::string path_;
  KernelFile file_;
  std::vector<KeyedValue> keys_;
};

}  // namespace collbench::metrics
