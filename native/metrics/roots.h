#pragma once
#include <string>

namespace collbench::metrics {

/// Where to read the kernel's files and which NVML library to open. Tests set folders with recorded files and
/// a fake library.
struct Roots {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string nvml = "libnvidia-ml.so.1";
};

}  // namespace collbench::metrics
