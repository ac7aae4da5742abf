#pragma once
// Ports through which workloads use the device and its put queues.
#include <memory>

#include "cuda/device.h"
#include "engines/device_port.h"
#include "transports/puts.h"

namespace collbench::gpu {

/// Returns the port through which workloads use the device.
/// @param is_shared true if other ranks use the same GPU
std::unique_ptr<DevicePort> make_device_port(cuda::Device& device, bool is_shared);

/// Wraps a put port of the host so that its queues are mapped for the GPU: kernels can then write entries and
/// ring the doorbell.
std::unique_ptr<PutPort> make_put_port(cuda::Device& device, PutPort& port);

}  // namespace collbench::gpu
