#pragma once
#include <string>

namespace collbench::metrics {

/// Where the kernel and the driver are asked; tests put recorded trees and a stand-in library here.
struct Roots {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string nvml = "libnvidia-ml.so.1";
};

}  // namespace collbench::metrics
