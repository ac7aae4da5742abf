#pragma once
// NVSHMEM over its own IBGDA transport: GPUs write the queues of an adapter, or of softmlx5 if there is none.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "transports/transport.h"

namespace collbench::nvshmem {

inline constexpr const char* kNetwork = "ibgda";

/// Returns variables to set in a rank before CUDA and NVSHMEM are opened, in the order of listing.
std::vector<std::pair<std::string, std::string>> variables_of(const std::string& transport,
                                                              const TransportOptions& options);

/// Returns variables that must be set when the process starts.
/// @throws Error(kUnavailable) if libsoftmlx5-sysfs.so is not built
std::map<std::string, std::string> environment_of(const std::string& transport,
                                                  const TransportOptions& options);

/// Returns whether softmlx5 replaces an adapter.
bool over_software_card(const std::string& transport, const TransportOptions& options);

}  // namespace collbench::nvshmem
