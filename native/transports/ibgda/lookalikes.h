#pragma once
// softmlx5 under the names of libibverbs and libmlx5 ("look-alikes"), for libraries that open those files
// themselves (NCCL, NVSHMEM).
#include <string>
#include <utility>
#include <vector>

#include "transports/transport.h"

namespace collbench::ibgda {

/// True if `options.library` is softmlx5, or if this machine has no RDMA adapter. An adapter that exists but
/// cannot be used gives false. @param folder sysfs folder of InfiniBand devices
bool wants_software_card(const TransportOptions& options,
                         const std::string& folder = "/sys/class/infiniband");

/// Folder of the look-alikes, for LD_LIBRARY_PATH of child processes. @throws Error(kUnavailable)
std::string lookalikes_folder();

/// Path of the library for LD_PRELOAD that answers reads of the card's sysfs folder. @throws
/// Error(kUnavailable)
std::string sysfs_preload();

/// Values of the environment variables SOFTMLX5_FABRIC, SOFTMLX5_LINK and SOFTMLX5_FAULT.
std::vector<std::pair<std::string, std::string>> software_card_settings(const TransportOptions& options);

/// Checks that load_lookalikes() would succeed, without loading anything under those names. @throws as
/// load_lookalikes()
void check_lookalikes(const TransportOptions& options);

/// Makes every later open of libibverbs or libmlx5 by name in this process return softmlx5.
/// @throws Error(kUnavailable) naming the missing file; Error(kInvalidArgument) an unknown link model or
/// fault
void load_lookalikes(const TransportOptions& options);

}  // namespace collbench::ibgda
