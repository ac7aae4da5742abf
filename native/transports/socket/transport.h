#pragma once
// TCP between ranks. README.md in this folder has the wire format, the design choices and their figures.
#include <memory>

#include "transports/registry.h"

namespace collbench {

/// Reports whether options.interface_name names a usable interface; the reason lists the existing ones.
Availability probe_socket(const TransportOptions& options);

/// @throws Error(kInvalidArgument) token too short or streams outside 0..16; Error(kUnavailable) no such
/// interface
std::unique_ptr<Transport> create_socket(const TransportOptions& options);

}  // namespace collbench
