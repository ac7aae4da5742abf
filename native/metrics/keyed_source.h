#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/kernel_file.h"
#include "metrics/sources.h"

namespace collbench::metrics {

/// A number to read from a text with lines "key number ...".
struct KeyedValue {
  std::string_view key;  // first word of the line, including a colon at its end
  const char* channel;   // name of the channel for this number
  const char* unit;
  bool cumulative = true;
  double scale = 1;  // unit of the channel divided by unit of the file
};

/// Sets values[i] to scale × the number of keys[i]; NaN if its line is missing, torn or has no number. The
/// first line of a key counts.
void read_keyed(std::string_view text, std::span<const KeyedValue> keys, double* values) noexcept;

/// Source that reads one such file. Keys that the kernel does not have are skipped.
class KeyedSource : public Source {
 public:
  /// @throws Error(kUnavailable) if the file cannot be read or has none of the keys
  KeyedSource(const std::string& path, std::span<const KeyedValue> keys);
  void read(double* values) override;

 private:
  std::string path_;
  KernelFile file_;
  std::vector<KeyedValue> keys_;
};

}  // namespace collbench::metrics
