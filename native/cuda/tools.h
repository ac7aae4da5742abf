#pragma once
#include <map>
#include <memory>
#include <string>

#include "cuda/data.h"
#include "cuda/kernels.h"
#include "measure/timeline.h"

namespace collbench::cuda {

/// Objects with which an engine fills buffers, checks results and takes times on a GPU. Without NVRTC (the
/// compiler) there are no kernels: then the host fills and checks, and `timeline` is null.
struct DeviceTools {
  std::unique_ptr<Kernels> kernels;
  std::unique_ptr<TestData> data;
  std::unique_ptr<DeviceTimeline> timeline;
  std::map<std::string, std::string> facts;  // "nvrtc.path" and "hold.markNs", or "nvrtc.missing"
};

/// Creates the objects of DeviceTools for a GPU.
/// @param host_only true: use no kernels even if NVRTC is available
/// @throws Error(kUnavailable) with the compiler's log
DeviceTools make_tools(Device& device, bool host_only);

}  // namespace collbench::cuda
