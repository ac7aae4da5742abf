#pragma once
#include <memory>

#include "transports/registry.h"

namespace collbench {

Availability probe_sisci(const TransportOptions& options);

/// Makes the transport over a SISCI library. `options.library` selects it: "" = libsisci.so, or softntb if
/// there is neither a library nor a Dolphin adapter; "softntb" = the emulation; otherwise a path.
/// @throws Error(kUnavailable) with reason and remedy if there is no usable library or adapter;
/// Error(kInvalidArgument) as open_library()
std::unique_ptr<Transport> create_sisci(const TransportOptions& options);

}  // namespace collbench
