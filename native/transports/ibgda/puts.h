#pragma once
#include <memory>

#include "transports/ibgda/connection.h"
#include "transports/puts.h"

namespace collbench::ibgda {

/// Makes a port for queues whose entries the caller writes itself. The queues are of the device's type (RC or
/// DC), like those of the transport's connections.
/// @param counter_table table to which the port's traffic is added
std::unique_ptr<PutPort> make_put_port(std::shared_ptr<const IbgdaDevice> device,
                                       std::shared_ptr<CounterTable> counter_table);

}  // namespace collbench::ibgda
