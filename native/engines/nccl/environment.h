#pragma once
// Environment variables that each transport needs in a rank. Set before libnccl is opened.
#include <string>
#include <utility>
#include <vector>

#include "engines/engine.h"
#include "engines/nccl/log.h"
#include "engines/nccl/settings.h"

namespace collbench::nccl {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// First NCCL version in which NCCL_NET_PLUGIN may be a path, in the number format of ncclGetVersion(): 2.21.
constexpr int kFirstWithPluginPath = 22100;

/// Returns the transports of this engine in the order in which they are listed for users: p2p, shm, socket,
/// ib, sisci, plugin, ibgda.
const std::vector<std::string>& transport_names();

/// Returns the environment variables, as names and values, with which NCCL in one rank uses `transport`:
/// p2p, shm: NET off (NCCL_NET_DISABLE_INTRA), so that a missing path is an error; p2p also SHM off, shm also
/// P2P and NVLS off.
/// socket, sisci, plugin: P2P, SHM and MNNVL (NVLink between machines) off, NCCL_NET selects the net by name.
/// ib, ibgda: NCCL_NET=IB; P2P, SHM and MNNVL off only if all ranks are on one machine, since several
/// machines are measured as NCCL connects them. ibgda also NCCL_GIN_TYPE=3. Over the emulated adapter also
/// LD_LIBRARY_PATH, SOFTMLX5_* and no GPUDirect RDMA.
/// sisci: NCCL_NET_PLUGIN=<our plugin>, COLLBENCH_SISCI_*, NCCL_MIN_NCHANNELS=4 if the adapter is emulated
/// and unthrottled (option `link` empty or "none"), since NCCL's two channels do not keep it busy.
/// sisci, ib, ibgda with GIN (deviceApi gin): MNNVL off, P2P and SHM stay on. NCCL_HOSTID makes each rank a
/// host instead, and NCCL_GIN_ENABLE=1, NCCL_CUMEM_ENABLE=1, NCCL_GIN_TYPE=2 (ibgda: 3) are set.
/// sisci and the emulated ib and ibgda: no LL128 unless a protocol was requested.
/// Always: NCCL_DEBUG/SUBSYS/FILE, because NCCL's log shows which transport was in use, NCCL_ALGO/NCCL_PROTO
/// if set, NCCL_HOSTID if ranks share a GPU. The user's other variables (NCCL_P2P_LEVEL, NCCL_MIN_CTAS, ...)
/// stay.
/// @param debug_file file for NCCL's log: LogCapture::path()
/// @param local_ranks ranks on this machine; 0 = all of options.ranks
/// @param nccl_version ncclGetVersion(); 0 = a recent one. Before 2.21 NCCL finds net plugins only by name.
/// The engine then opens plugin_file() first, so that the loader knows it under that name.
/// @throws Error(kInvalidArgument) unknown transport or impossible combination, named in the message;
/// Error(kUnavailable) a plugin that is missing or not a net plugin
Environment environment_for(const std::string& transport, const TransportOptions& options,
                            const NcclSettings& settings, const std::string& debug_file, int local_ranks = 0,
                            int nccl_version = 0);

/// Returns true if this environment variable's value is the secret (key) of the run, which must not appear in
/// results or reports.
bool is_secret(const std::string& name);

/// Returns true if this transport uses the software adapter softmlx5: for ib and ibgda, if the user names its
/// library, or names no library and this machine has no InfiniBand device.
bool over_software_card(const std::string& transport, const TransportOptions& options);

/// Sets the variables in this process and replaces their earlier values. environment_for() treats variables
/// that were set here as not chosen by the user. So environment_for() can be called again for another launch
/// in the same process.
void set_environment(const Environment& variables);

/// Returns the path of the net plugin that this transport loads: this project's plugin for sisci,
/// options.library for plugin; "" for other transports.
std::string plugin_file(const std::string& transport, const TransportOptions& options);

/// Returns the plugin's name for NCCL_NET, read from the newest ncclNetPlugin_vN (6 to 12) that the file
/// exports. Opening the file runs only its constructors.
/// @throws Error(kUnavailable) if the file cannot be loaded or has no such symbol
std::string plugin_name(const std::string& path);

/// Returns the path of libnccl-net-sisci.so next to this executable or shared object; "" if it is missing.
std::string sisci_plugin_path();

/// Checks in NCCL's log that NCCL uses the requested network, because it may silently use another one. A log
/// that names no network yet passes.
/// @param environment variables that request the network; without NCCL_NET any network passes
/// @param log must have been updated after the communicator was created
/// @throws Error(kUnavailable) with NCCL's last message if another network is in use
void refuse_other_network(const Environment& environment, const LogCapture& log,
                          const std::string& transport);

}  // namespace collbench::nccl
