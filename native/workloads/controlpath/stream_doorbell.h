#pragma once
// Doorbell and completion of a queue as memory operations in a device's stream, without kernel or host.
#include "engines/device_port.h"
#include "transports/ibgda/lane.h"

namespace collbench::controlpath {

/// Rings the doorbell for all entries before block `end`. The last entry must be a put with a completion.
void ring_in_stream(DevicePort& device, const ibgda::QueueView& view, ibgda::u32 end);
/// Makes the stream wait for completion `taken`, successful or not.
void await_in_stream(DevicePort& device, const ibgda::QueueView& view, ibgda::u32 taken);

}  // namespace collbench::controlpath
