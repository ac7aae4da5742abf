#pragma once
// The table of transports. Adding one: a folder with the same file names as its neighbours, a row in
// registry.cc.
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "transports/transport.h"

namespace collbench {

/// Can it run here? `reason` and `remedy` are full sentences for people and empty when available.
struct Availability {
  bool available = false;
  Medium medium = Medium::kHardware;
  std::string detail;  // as DeviceProperties::detail of the first device
  std::string reason;
  std::string remedy;
  std::map<std::string, std::string>
      facts;  // what was found: versions, paths, devices, environment to be set
};

struct TransportEntry {
  std::string_view name;  // "socket", "sisci", "plugin"
  std::string_view summary;
  Availability (*probe)(const TransportOptions& options);  // cheap, starts nothing, never throws
  std::unique_ptr<Transport> (*create)(const TransportOptions& options);
};

/// What a transport's first device says of itself, or why none can be made and `remedy`.
Availability probe_device(std::unique_ptr<Transport> (*create)(const TransportOptions& options),
                          const TransportOptions& options, const char* remedy);

std::span<const TransportEntry> transports();
/// `plugin:PATH` finds the plugin transport (put PATH into options.library); nullptr when there is no such
/// transport.
const TransportEntry* find_transport(std::string_view name);

}  // namespace collbench
