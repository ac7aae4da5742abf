#pragma once
#include <memory>

#include "transports/registry.h"

namespace collbench {

Availability probe_plugin(const TransportOptions& options);

/// Makes a transport that loads the ncclNet plugin at the path `options.library` and calls it as NCCL would.
/// It moves host memory only, so that no GPU is needed. Sets environment variables with the other options for
/// our own plugin.
/// @throws Error(kUnavailable) if the plugin cannot be loaded or initialised
std::unique_ptr<Transport> create_plugin(const TransportOptions& options);

/// Like create_plugin, but uses exactly this version of the ncclNet interface, 6 to 12. 0 = the newest that
/// the plugin exports.
std::unique_ptr<Transport> create_plugin_version(const TransportOptions& options, int version);

}  // namespace collbench
