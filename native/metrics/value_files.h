#pragma once
#include <optional>
#include <string>
#include <vector>

#include "metrics/kernel_file.h"
#include "metrics/sources.h"

namespace collbench::metrics {

/// What a text of one number says, scaled; NaN unless it is that number and a newline. Nothing that is read
/// so can be below zero but a temperature, which is NaN then.
double value_of(std::string_view text, double scale) noexcept;

/// Many files of /sys that hold one number each. Files that are not there at the start are left out.
class ValueFiles : public Source {
 public:
  void read(double* values) override;

 protected:
  /// @returns whether the file holds a number now; only then it becomes a channel
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
