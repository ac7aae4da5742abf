#pragma once
#include <memory>

#include "cuda/device.h"
#include "engines/device_port.h"

namespace collbench::gpu {

/// Creates the port. @param is_shared true if other ranks use the same GPU
std::unique_ptr<DevicePort> make_device_port(cuda::Device& device, bool is_shared);

}  // namespace collbench::gpu
