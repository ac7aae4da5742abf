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

/// Returns the network of a communicator: NCCL_NET_PLUGIN's (opened to read its name; no byte goes through
/// it) or Socket, as NCCL_NET requires. IB counts as having no device.
/// @param fallback take Socket even if another network is required (a fault) @return "" if there is no such
/// network; a WARN line reports it
std::string choose_network(bool fallback, int device);

struct TunerChoice {
  std::string algorithm, protocol;  // "RING", "LL128"; empty = no allowed one is left.
};
/// Returns algorithm and protocol, following NCCL_ALGO and NCCL_PROTO, for broadcast, reduce, allgather,
/// reducescatter and allreduce.
/// @param bytes count * size as passed
TunerChoice choose_algorithm(NcclFunction func, std::size_t bytes);

}  // namespace collbench::nccl_fake
