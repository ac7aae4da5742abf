#pragma once
#include <memory>

#include "cuda/device.h"
#include "transports/puts.h"

namespace collbench::gpu {

/// Wraps a port whose queues the device can also write and ring.
std::unique_ptr<PutPort> make_put_port(cuda::Device& device, PutPort& port);

}  // namespace collbench::gpu
