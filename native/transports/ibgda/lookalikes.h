#pragma once
// softmlx5 under the names of libibverbs and libmlx5, for libraries that open those themselves (NCCL,
// NVSHMEM).
#include <string>
#include <utility>
#include <vector>

#include "transports/transport.h"

namespace collbench::ibgda {

/// Asked for ("library" softmlx5), or no adapter of any kind is on this machine; never where one is there and
/// cannot be used. @param folder of InfiniBand devices
bool wants_software_card(const TransportOptions& options,
                         const std::string& folder = "/sys/class/infiniband");

/// Folder of the look-alikes, for LD_LIBRARY_PATH of processes that this one starts. @throws
/// Error(kUnavailable)
std::string lookalikes_folder();

/// For LD_PRELOAD: answers for the card's folder in sysfs. @throws Error(kUnavailable)
std::string sysfs_preload();

/// "SOFTMLX5_FABRIC", "SOFTMLX5_LINK" and "SOFTMLX5_FAULT" with their values.
std::vector<std::pair<std::string, std::string>> software_card_settings(const TransportOptions& options);

/// That load_lookalikes() would find what it takes; loads nothing under those names. @throws Error as it
void check_lookalikes(const TransportOptions& options);

/// From now on, whoever opens libibverbs or libmlx5 by name in this process gets softmlx5.
/// @throws Error(kUnavailable) naming the file that is not there; Error(kInvalidArgument) a link model or
/// fault that is not known
void load_lookalikes(const TransportOptions& options);

}  // namespace collbench::ibgda
