#pragma once
// What each transport needs in the environment of a rank, and nothing else. Set before libnccl is opened.
#include <string>
#include <utility>
#include <vector>

#include "engines/engine.h"
#include "engines/nccl/settings.h"

namespace collbench::nccl {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Transports this engine knows, in the order of listing: p2p, shm, socket, ib, sisci, plugin, ibgda.
const std::vector<std::string>& transport_names();

/// Variables for one rank, in the order they are shown. p2p: P2P must work, so NCCL's own choice with NET kept out
/// (NCCL_NET_DISABLE_INTRA, NCCL_P2P_LEVEL=SYS only where asked). shm: NCCL_P2P_DISABLE=1. socket: P2P and SHM off,
/// NCCL_NET=Socket, interface. ib: NCCL_NET=IB. sisci: NCCL_NET=SISCI, NCCL_NET_PLUGIN=<our plugin>, COLLBENCH_SISCI_*, no
/// LL128 unless the protocol was asked for. plugin: NCCL_NET_PLUGIN=PATH, NCCL_NET=<name the plugin exports>. ibgda:
/// NCCL_GIN_TYPE=3 beside ib. Always: NCCL_DEBUG/SUBSYS/FILE for evidence (debug_file), NCCL_ALGO/NCCL_PROTO where set,
/// NCCL_HOSTID where ranks share a GPU. Never touches NCCL_NVLS_ENABLE and the like: what the user set stays.
/// @throws Error(kInvalidArgument) unknown transport, or a combination that cannot be (message names it)
Environment environment_for(const std::string& transport, const TransportOptions& options, const NcclSettings& settings,
                            const std::string& debug_file);

/// Path of libnccl-net-sisci.so beside this executable or shared object; "" when it is not there.
std::string sisci_plugin_path();

}  // namespace collbench::nccl
