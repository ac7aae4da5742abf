#include "metrics/value_files.h"

#include <cmath>

#include "metrics/text.h"

namespace collbench::metrics {

double value_of(std::string_view text, double scale) noexcept {
  if (!text.ends_with('\n')) return kAbsent;
  text.remove_suffix(1);
  const auto number = whole_number(text);
  return number ? static_cast<double>(*number) * scale : kAbsent;
}

bool ValueFiles::add_file(const std::string& path, std::string channel, std::string unit, bool cumulative,
                          double scale) {
  KernelFile file(path);
  const auto text = file.read();
  if (!text || std::isnan(value_of(*text, scale))) return false;
  files_.push_back({std::move(file), scale});
  if (cumulative)
    add_counter(std::move(channel), std::move(unit));
  else
    add_gauge(std::move(channel), std::move(unit));
  return true;
}

// Channels of a device that disappears become NaN; the source itself does not fail.
void ValueFiles::read(double* values) {
  for (File& one : files_) {
    const auto text = one.file.read();
    *values++ = text ? value_of(*text, one.scale) : kAbsent;
  }
}

}  // namespace collbench::metrics
