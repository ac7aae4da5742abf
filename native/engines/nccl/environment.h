#pragma once
// What each transport needs in the environment of a rank, and nothing else. Set before libnccl is opened.
#include <string>
#include <utility>
#include <vector>

#include "engines/engine.h"
#include "engines/nccl/settings.h"

namespace collbench::nccl {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// The first NCCL whose NCCL_NET_PLUGIN may be a path, as ncclGetVersion() counts.
constexpr int kFirstWithPluginPath = 22100;

/// Transports this engine knows, in the order of listing: p2p, shm, socket, ib, sisci, plugin, ibgda.
const std::vector<std::string>& transport_names();

/// Variables for one rank, in the order they are shown; the reason for each stands in environment.cc.
/// p2p, shm: NET kept out (NCCL_NET_DISABLE_INTRA), so that a missing path is an error of NCCL and no detour;
/// shm also without P2P and NVLS. socket, sisci, plugin: P2P and SHM off, NCCL_NET pins the net by name. ib,
/// ibgda: NCCL_NET=IB; P2P and SHM off only where all ranks are on one machine, since several machines are
/// measured as NCCL joins them. ibgda: NCCL_GIN_TYPE=3. sisci: NCCL_NET_PLUGIN=<our plugin>,
/// COLLBENCH_SISCI_*, no LL128 unless a protocol was asked for, NCCL_MIN_NCHANNELS=4 over an emulation
/// without a link model; with GIN (deviceApi gin) P2P and SHM stay on, NCCL_HOSTID makes each rank a host,
/// and NCCL_GIN_ENABLE=1 NCCL_GIN_TYPE=2 NCCL_CUMEM_ENABLE=1. Always: NCCL_DEBUG/SUBSYS/FILE for evidence,
/// NCCL_ALGO/NCCL_PROTO where set, NCCL_HOSTID where ranks share a GPU. What the user set otherwise
/// (NCCL_P2P_LEVEL, NCCL_MIN_CTAS, ...) stays.
/// @param debug_file LogCapture::path()
/// @param local_ranks ranks on this machine; 0 = all of options.ranks
/// @param nccl_version ncclGetVersion(); 0 = a new one. Before 2.21 NCCL finds net plugins by name alone: the
/// engine
///        then opens plugin_file() first, and the loader knows it under that name
/// @throws Error(kInvalidArgument) unknown transport, or a combination that cannot be (message names it);
///         Error(kUnavailable) a plugin that is not there or is none
Environment environment_for(const std::string& transport, const TransportOptions& options,
                            const NcclSettings& settings, const std::string& debug_file, int local_ranks = 0,
                            int nccl_version = 0);

/// The run's secret: in no fact and no report.
bool is_secret(const std::string& name);

/// Whether this transport goes over softmlx5: ib where this machine has no InfiniBand device, or asked for.
bool over_software_card(const std::string& transport, const TransportOptions& options);

/// Sets them for this process, over what was there. What stands there by this is no choice of the user for
/// environment_for(), which therefore may be asked again.
void set_environment(const Environment& variables);

/// The net plugin that this transport loads: ours for sisci, options.library for plugin, "" for the others.
std::string plugin_file(const std::string& transport, const TransportOptions& options);

/// The name in the newest ncclNetPlugin_vN (6 to 12) that the file exports; NCCL_NET takes it. Runs no code
/// of the plugin but its constructors. @throws Error(kUnavailable) not loadable, or no such symbol
std::string plugin_name(const std::string& path);

/// Path of libnccl-net-sisci.so beside this executable or shared object; "" when it is not there.
std::string sisci_plugin_path();

}  // namespace collbench::nccl
