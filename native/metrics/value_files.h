#pragma once
#include <optional>
#include <string>
#include <vector>

#include "metrics/kernel_file.h"
#include "metrics/sources.h"

namespace collbench::metrics {

/// Scaled number in a text that has only that number and a newline; otherwise NaN. Negative numbers give NaN
/// too: only a temperature could be below zero.
double value_of(std::string_view text, double scale) noexcept;

/// Source over many /sys files with one number each. Files that do not exist at the start are skipped.
class ValueFiles : public Source {
 public:
  void read(double* values) override;

 protected:
  /// Adds a file as a channel if it holds a number now. @returns whether it was added
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
