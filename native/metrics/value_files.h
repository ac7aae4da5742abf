#pragma once
#include <optional>
#include <string>
#include <vector>

#include "metrics/kernel_file.h"
#include "metrics/sources.h"

namespace collbench::metrics {

/// Returns the number in a text that consists of a number and a newline, times `scale`. NaN for any other
/// text; also for negative numbers, because among the values read here only a temperature could be below
/// zero.
double value_of(std::string_view text, double scale) noexcept;

/// Metric source that reads many /sys files with one number each. Files that do not exist or hold no number
/// at the start are left out. Numbers of files that disappear later become NaN; the source does not fail.
class ValueFiles : public Source {
 public:
  void read(double* values) override;

 protected:
  /// Adds a /sys file as a metric channel, if it contains a number now.
  /// @param channel name of the channel, such as "card0.power"  @param cumulative true if it only grows
  /// @param scale factor from the file's unit to the channel's
  /// @returns true if it was added
  bool add_file(const std::string& path, std::string channel, std::string unit, bool cumulative,
                double scale = 1);

 private:
  struct File {
    KernelFile file;
    double scale;
  };
  std::vector<File> files_;
};

}  // namespace collbench::metrics
