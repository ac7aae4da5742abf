#pragma once
#include <memory>

#include "transports/registry.h"

namespace collbench {

Availability probe_sisci(const TransportOptions& options);

/// Transport over the SISCI library that `options.library` names: "" = libsisci.so, or softntb if there is
/// none; "softntb" = the emulation.
/// @throws Error(kUnavailable) with reason and remedy if there is no usable library or adapter
std::unique_ptr<Transport> create_sisci(const TransportOptions& options);

}  // namespace collbench
