#include "cuda/tools.h"

namespace collbench::cuda {

DeviceTools make_tools(Device& device, bool host_only) {
  DeviceTools tools;
  int version = 0;
  device.driver().check(device.driver().driver_version(&version), "cuDriverGetVersion");
  std::string why_not;
  const NvrtcApi* nvrtc = host_only ? nullptr : open_nvrtc(version / 1000, &why_not);
  if (nvrtc == nullptr) {
    if (!host_only) tools.facts["nvrtc.missing"] = why_not;
    tools.data = make_host_data(device);
    return tools;
  }
  tools.facts["nvrtc.path"] = nvrtc->path;
  tools.kernels = std::make_unique<Kernels>(device, *nvrtc);
  tools.data = make_device_data(device, *tools.kernels);
  tools.timeline = make_timeline(device, *tools.kernels);
  tools.facts["hold.markNs"] = std::to_string(tools.timeline->mark_ns());
  return tools;
}

}  // namespace collbench::cuda
