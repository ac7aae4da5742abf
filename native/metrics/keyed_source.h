#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/kernel_file.h"
#include "metrics/sources.h"

namespace collbench::metrics {

/// A number in a text of lines "key number ...".
struct Keyed {
  std::string_view key;  // the first word of its line, a colon at its end included
  const char* channel;   // name of the channel
  const char* unit;
  bool cumulative = true;
  double scale = 1;  // unit of the channel per unit of the file
};

/// values[i] = the number of keys[i] × scale; NaN where its line is missing, torn or holds no number. The
/// first line of a key counts.
void read_keyed(std::string_view text, std::span<const Keyed> keys, double* values) noexcept;

/// One file of that form. Keys that the kernel does not have are left out.
class KeyedSource : public Source {
 public:
  /// @throws Error(kUnavailable) when the file cannot be read, or has none of the keys
  KeyedSource(const std::string& path, std::span<const Keyed> keys);
  void read(double* values) override;

 private:
  std::string path_;
  KernelFile file_;
  std::vector<Keyed> keys_;
};

}  // namespace collbench::metrics
