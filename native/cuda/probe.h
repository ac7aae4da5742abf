#pragma once
// Driver and GPUs of this machine, and missing parts, found before anything starts.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/driver_api.h"

namespace collbench::cuda {

/// A reason why CUDA or a GPU cannot be used, and what the user can do about it.
struct MissingPart {
  std::string reason, remedy;  // full sentences for users
};

struct GpuProbe {
  const DriverApi* driver = nullptr;  // initialised driver; nullptr if none works
  int driver_version = 0;             // 13000 for 13.0; 0 = unknown
  int gpus = 0;                       // number of GPUs that this process can see
  /// Facts about driver and GPUs: driver.version, driver.release, gpu.count, and for each GPU N gpu.N.name,
  /// .pci, .numa, .memoryBytes, .capability. Those that cannot be read are absent.
  std::map<std::string, std::string> facts;
  std::vector<MissingPart> missing;  // empty = driver and wanted GPUs can be used
};

/// Checks whether CUDA driver and GPUs can be used. If they can, `missing` of the result is empty; otherwise
/// it says why not.
/// @param wanted numbers of GPUs that must exist (--gpus); may be empty
GpuProbe probe_gpus(const std::vector<int>& wanted);

/// Returns a CUDA version as text: "13.0" for 13000.
std::string cuda_version(int driver_version);

/// Returns the driver's release, such as "580.159.04", from the first line of the text of
/// /proc/driver/nvidia/version; "" if that has none.
std::string driver_release_in(std::string_view text);

}  // namespace collbench::cuda
