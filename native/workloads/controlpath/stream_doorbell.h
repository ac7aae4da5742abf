#pragma once
// Doorbell and completion of a queue as memory operations of a device's stream: no kernel, no host.
#include "engines/device_port.h"
#include "transports/ibgda/lane.h"

namespace collbench::controlpath {

/// One doorbell for the entries before block `end`, the last of which is a put that completes.
void ring_in_stream(DevicePort& device, const ibgda::QueueView& view, ibgda::u32 end);
/// The stream goes on once completion `taken` is there, good or not.
void await_in_stream(DevicePort& device, const ibgda::QueueView& view, ibgda::u32 taken);

}  // namespace collbench::controlpath
