#pragma once
#include <string>

namespace collbench::metrics {

/// Root folders and library names used to read kernel and driver; tests set recorded trees and a fake
/// library.
struct Roots {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string nvml = "libnvidia-ml.so.1";
};

}  // namespace collbench::metrics
