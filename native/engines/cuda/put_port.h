#pragma once
#include <memory>

#include "cuda/device.h"
#include "transports/puts.h"

namespace collbench::gpu {

/// Queues of that port, which the device can write and ring, too.
std::unique_ptr<PutPort> make_put_port(cuda::Device& device, PutPort& port);

}  // namespace collbench::gpu
