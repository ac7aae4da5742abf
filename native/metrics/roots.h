#pragma once
#include <string>

namespace collbench::metrics {

/// Root folders of the kernel's files and name of the NVML library to open. Tests set folders with recorded
/// files and a fake library.
struct Roots {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string nvml = "libnvidia-ml.so.1";
};

}  // namespace collbench::metrics
