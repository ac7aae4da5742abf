#pragma once
#include <memory>

#include "transports/registry.h"

namespace collbench {

Availability probe_ibgda(const TransportOptions& options);
std::unique_ptr<Transport> create_ibgda(const TransportOptions& options);

}  // namespace collbench
