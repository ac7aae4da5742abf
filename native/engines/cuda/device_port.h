#pragma once
#include <memory>

#include "cuda/device.h"
#include "engines/device_port.h"

namespace collbench::gpu {

/// @param is_shared other ranks have the same GPU
std::unique_ptr<DevicePort> make_device_port(cuda::Device& device, bool is_shared);

}  // namespace collbench::gpu
