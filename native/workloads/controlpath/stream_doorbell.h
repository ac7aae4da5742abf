#pragma once
// Doorbell and completion of a queue as memory operations in a device's stream, without kernel or host.
#include "engines/device_port.h"
#include "transports/ibgda/lane.h"

namespace collbench::controlpath {

/// Queues on the device's stream that the doorbell is rung for all entries before entry `end`. The last of
/// these must be a put with a completion.
void ring_in_stream(DevicePort& device, const ibgda::QueueView& view, ibgda::u32 end);
/// Queues on the device's stream a wait until completion number `taken` of the queue has arrived, whether it
/// reports success or not.
void await_in_stream(DevicePort& device, const ibgda::QueueView& view, ibgda::u32 taken);

}  // namespace collbench::controlpath
