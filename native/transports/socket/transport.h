#pragma once
// TCP between ranks. README.md of this folder has the wire format, the choices and the figures behind them.
#include <memory>

#include "transports/registry.h"

namespace collbench {

/// Whether options.interface_name names a usable interface; the reason lists those that exist.
Availability probe_socket(const TransportOptions& options);

/// @throws Error(kInvalidArgument) token too short or streams outside 0..16; Error(kUnavailable) no such
/// interface
std::unique_ptr<Transport> create_socket(const TransportOptions& options);

}  // namespace collbench
