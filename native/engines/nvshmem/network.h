#pragma once
// NVSHMEM over its own IBGDA transport: GPUs write the queues of an adapter, or of softmlx5 if there is none.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "transports/transport.h"

namespace collbench::nvshmem {

inline constexpr const char* kNetwork = "ibgda";

/// Returns environment variables that make NVSHMEM use this transport. A rank must set them before it opens
/// CUDA and NVSHMEM.
std::vector<std::pair<std::string, std::string>> variables_of(const std::string& transport,
                                                              const TransportOptions& options);

/// Returns environment variables (LD_PRELOAD) that a rank's process must have when it starts; may be empty.
/// @throws Error(kUnavailable) if libsoftmlx5-sysfs.so is needed and not built
std::map<std::string, std::string> environment_of(const std::string& transport,
                                                  const TransportOptions& options);

/// Returns true if this transport uses an adapter emulated in software (softmlx5) instead of a real one.
bool over_software_card(const std::string& transport, const TransportOptions& options);

}  // namespace collbench::nvshmem
