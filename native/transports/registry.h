#pragma once
// The table of transports. A new transport is a folder with the same file names as its neighbours and a row
// in registry.cc.
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "transports/transport.h"

namespace collbench {

/// Whether a transport can run here. `reason` and `remedy` are full sentences for users; both are empty if it
/// can.
struct Availability {
  bool available = false;
  Medium medium = Medium::kHardware;
  std::string detail;  // same text as DeviceProperties::detail of the first device
  std::string reason;
  std::string remedy;
  std::map<std::string, std::string> facts;  // versions, paths, devices, environment variables to set
};

struct TransportEntry {
  std::string_view name;  // "socket", "sisci", "plugin"
  std::string_view summary;
  Availability (*probe)(const TransportOptions& options);  // Must be cheap, start nothing and never throw.
  std::unique_ptr<Transport> (*create)(const TransportOptions& options);
};

/// Makes the transport and reports its first device. If making it fails, reports the error's text and
/// `remedy`.
Availability probe_device(std::unique_ptr<Transport> (*create)(const TransportOptions& options),
                          const TransportOptions& options, const char* remedy);

std::span<const TransportEntry> transports();
/// Row of a transport; `plugin:PATH` finds the plugin transport. The caller puts PATH into options.library.
/// nullptr if no row has the name.
const TransportEntry* find_transport(std::string_view name);

}  // namespace collbench
