#pragma once
// The table of transports. A new transport is a folder with the same file names as its neighbours and a row
// in registry.cc.
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "transports/transport.h"

namespace collbench {

/// Answer to the question whether a transport can run on this machine. If not, `reason` says why and `remedy`
/// what the user can do, both in full sentences; otherwise both are empty.
struct Availability {
  bool available = false;
  Medium medium = Medium::kHardware;
  TransportDetail detail;  // that of the first device
  std::string reason;
  std::string remedy;
  std::map<std::string, std::string> facts;  // versions, paths, devices, environment variables to set

  /// Appends the sentence `missing` to `reason`, and a full stop after it if `missing` ends without one.
  /// Appends the sentence `its_remedy` to `remedy`, unless `remedy` contains it already. Does not change
  /// `available`.
  void miss(const std::string& missing, const std::string& its_remedy);
};

/// Returns the answer of a test that threw: not available, with the error's text as the sentence `reason`,
/// and with `remedy`.
Availability refused(const std::exception& error, const std::string& remedy);

/// A transport of this build: its name, one line of description for users, and the functions that test
/// whether this machine can use it and that create it.
struct TransportEntry {
  std::string_view name;  // "socket", "sisci", "plugin"
  std::string_view summary;
  Availability (*probe)(const TransportOptions& options);  // Must be cheap, start nothing and never throw.
  std::unique_ptr<Transport> (*create)(const TransportOptions& options);
};

/// Tests a transport by making it and describes its first device. If that throws, `reason` is the error's
/// text and the caller's `remedy` is passed on. The transport is destroyed again.
Availability probe_device(std::unique_ptr<Transport> (*create)(const TransportOptions& options),
                          const TransportOptions& options, const char* remedy);

/// Returns all transports of this build: name, description, and functions to test and create one.
std::span<const TransportEntry> transports();
/// Returns the row of the transport with this name; nullptr if there is none. `plugin:PATH` (a foreign net
/// plugin) finds the row "plugin"; the caller must copy PATH into options.library.
const TransportEntry* find_transport(std::string_view name);

}  // namespace collbench
