#pragma once
// What driver and GPUs of this machine are, and what is missing, before anything starts.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/driver_api.h"

namespace collbench::cuda {

struct Missing {
  std::string reason, remedy;  // sentences
};

struct GpuLook {
  const DriverApi* driver = nullptr;  // initialised; null when there is none that works
  int driver_version = 0;             // 13000; 0 = not known
  int gpus = 0;
  /// driver.version, driver.release, gpu.count, gpu.N.name, .pci, .numa, .memoryBytes, .capability
  std::map<std::string, std::string> facts;
  std::vector<Missing> missing;
};

/// @param wanted GPUs that must be there (--gpus); may be empty
GpuLook look_at_gpus(const std::vector<int>& wanted);

/// 13000 to "13.0".
std::string cuda_version(int driver_version);

/// "580.159.04" out of the text of /proc/driver/nvidia/version; "" when there is none in it.
std::string driver_release_in(std::string_view text);

}  // namespace collbench::cuda
