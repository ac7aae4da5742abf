#pragma once
#include <memory>

#include "cuda/device.h"
#include "transports/puts.h"

namespace collbench::gpu {

/// Wraps a put port of the host so that its queues are mapped for the GPU: kernels can then write entries and
/// ring the doorbell.
std::unique_ptr<PutPort> make_put_port(cuda::Device& device, PutPort& port);

}  // namespace collbench::gpu
