#pragma once
#include <memory>

#include "transports/registry.h"

namespace collbench {

Availability probe_sisci(const TransportOptions& options);

/// Over the SISCI library that `options.library` names ("" = libsisci.so, else softntb; "softntb" = the
/// emulation).
/// @throws Error(kUnavailable) with the reason and the way out when there is no usable library or adapter
std::unique_ptr<Transport> create_sisci(const TransportOptions& options);

}  // namespace collbench
