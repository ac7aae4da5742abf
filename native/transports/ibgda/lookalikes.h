#pragma once
// softmlx5 under the names of libibverbs and libmlx5 ("look-alikes"), for libraries that open those files
// themselves (NCCL, NVSHMEM).
#include <string>
#include <utility>
#include <vector>

#include "transports/transport.h"

namespace collbench::ibgda {

/// True if softmlx5 is to be used: `options.library` names it, or names none and this machine has no RDMA
/// adapter. False if an adapter exists, even one that cannot be used.
/// @param folder sysfs folder of RDMA devices
bool wants_software_card(const TransportOptions& options,
                         const std::string& folder = "/sys/class/infiniband");

/// Returns the folder that contains softmlx5 under the file names of libibverbs and libmlx5, for
/// LD_LIBRARY_PATH of child processes.
/// @throws Error(kUnavailable) if there is no such folder
std::string lookalikes_folder();

/// Returns the path of a library for LD_PRELOAD. It makes realpath() of the emulated adapter's device folder
/// in sysfs succeed, as for a real adapter; NVSHMEM fails without it.
/// @throws Error(kUnavailable) if the file is missing
std::string sysfs_preload();

/// Returns names and values of the environment variables that configure softmlx5 according to the options:
/// SOFTMLX5_FABRIC, SOFTMLX5_LINK and SOFTMLX5_FAULT.
std::vector<std::pair<std::string, std::string>> software_card_settings(const TransportOptions& options);

/// Checks that load_lookalikes() would succeed: the files exist, and softmlx5 knows link model and faults of
/// the options. Opens only libsoftmlx5.so itself.
/// @throws Error as load_lookalikes()
void check_lookalikes(const TransportOptions& options);

/// Loads the software adapter softmlx5 as libibverbs and libmlx5: later dlopen() calls of these names get it.
/// @throws Error(kUnavailable) naming the missing file; Error(kInvalidArgument) for an unknown link model
/// (bandwidth and latency that softmlx5 imitates) or an unknown fault (that it makes on purpose, for tests)
void load_lookalikes(const TransportOptions& options);

}  // namespace collbench::ibgda
