#pragma once
#include <memory>

#include "transports/ibgda/connection.h"
#include "transports/puts.h"

namespace collbench::ibgda {

/// Port whose queues are of the same kind as those of the transport's own connections.
std::unique_ptr<PutPort> make_put_port(std::shared_ptr<const IbgdaDevice> device,
                                       std::shared_ptr<CounterTable> counter_table);

}  // namespace collbench::ibgda
