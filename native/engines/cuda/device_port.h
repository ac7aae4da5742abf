#pragma once
#include <memory>

#include "cuda/device.h"
#include "engines/device_port.h"

namespace collbench::gpu {

/// Returns the port through which workloads use the device. @param is_shared true if other ranks use the same
/// GPU
std::unique_ptr<DevicePort> make_device_port(cuda::Device& device, bool is_shared);

}  // namespace collbench::gpu
