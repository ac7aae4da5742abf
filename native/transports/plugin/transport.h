#pragma once
#include <memory>

#include "transports/registry.h"

namespace collbench {

Availability probe_plugin(const TransportOptions& options);

/// Hosts the ncclNet plugin at `options.library` without a GPU.
/// @throws Error(kUnavailable) when it cannot be loaded or initialised
std::unique_ptr<Transport> create_plugin(const TransportOptions& options);

/// Like create_plugin, but uses exactly one interface version, 6 to 12. 0 = the newest that the plugin
/// exports.
std::unique_ptr<Transport> create_plugin_version(const TransportOptions& options, int version);

}  // namespace collbench
