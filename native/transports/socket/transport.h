#pragma once
// TCP between ranks. README.md in this folder has the wire format, the design choices and their figures.
#include <memory>

#include "transports/registry.h"

namespace collbench {

/// Tests whether the interface that options.interface_name names can be used; if it is empty, whether any
/// can. If not, the reason lists the existing ones.
Availability probe_socket(const TransportOptions& options);

/// Makes the transport, bound to the interface that the options name, or to the one that choose_interface()
/// chooses.
/// @throws Error(kInvalidArgument) if the token is too short or the number of streams is outside 0 to 16;
/// Error(kUnavailable) if there is no such interface
std::unique_ptr<Transport> create_socket(const TransportOptions& options);

}  // namespace collbench
