#pragma once
// Network, algorithm and protocol that the fake NCCL chooses from its environment.
#include <cstddef>
#include <string>

namespace collbench::nccl_fake {

enum class NcclFunction : int {
  kBroadcast,
  kReduce,
  kAllGather,
  kReduceScatter,
  kAllReduce,
  kAlltoAll,
  kScatter,
  kGather,
  kSend,
  kRecv
};
const char* name_of(NcclFunction func);

/// Returns the name of the network for a communicator, as NCCL_NET requires: that of the plugin in
/// NCCL_NET_PLUGIN, "IB" if NCCL_NET names it and libibverbs lists a device, or "Socket". The plugin is
/// opened only to read its name; data always use TCP.
/// @param fallback true: take Socket even if NCCL_NET requires another network (an injected fault)
/// @param device number of the device, for log lines
/// @returns "" if there is no such network; a WARN line is logged
std::string choose_network(bool fallback, int device);

struct TunerChoice {
  std::string algorithm, protocol;  // "RING", "LL128"; empty = no allowed one is left.
};
/// Returns the algorithm and protocol that the fake NCCL writes to its log for a collective (except alltoall,
/// scatter, gather), among those that NCCL_ALGO and NCCL_PROTO allow.
/// @param bytes element count of the call times element size
TunerChoice choose_algorithm(NcclFunction func, std::size_t bytes);

}  // namespace collbench::nccl_fake
