#pragma once
// NVSHMEM over its own IBGDA: GPUs write the queues of a card. Where there is none, of softmlx5.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "transports/transport.h"

namespace collbench::nvshmem {

inline constexpr const char* kNetwork = "ibgda";

/// Set in a rank before CUDA and NVSHMEM are opened, in the order they are shown.
std::vector<std::pair<std::string, std::string>> variables_of(const std::string& transport,
                                                              const TransportOptions& options);

/// What must be there when the process starts. @throws Error(kUnavailable) libsoftmlx5-sysfs.so is not built
std::map<std::string, std::string> environment_of(const std::string& transport,
                                                  const TransportOptions& options);

/// softmlx5 takes the place of a card.
bool over_software_card(const std::string& transport, const TransportOptions& options);

}  // namespace collbench::nvshmem
