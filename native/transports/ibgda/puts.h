#pragma once
#include <memory>

#include "transports/ibgda/link.h"
#include "transports/puts.h"

namespace collbench::ibgda {

/// Queues of the adapter, as the transport's own connections have them.
std::unique_ptr<PutPort> make_put_port(std::shared_ptr<const Device> device, std::shared_ptr<Ledger> ledger);

}  // namespace collbench::ibgda
