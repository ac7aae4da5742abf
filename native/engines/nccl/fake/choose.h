#pragma once
// What NCCL would choose from its environment: network, way between two ranks, algorithm and protocol.
#include <string>

#include "engines/nccl/fake/mesh.h"

namespace collbench::nccl_fake {

enum class Func : int {
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
const char* name_of(Func func);

/// Network that a communicator gets: that of NCCL_NET_PLUGIN (opened, its name read; no byte goes through
/// it), or Socket. IB counts as having no device. `wanted`: NCCL_NET or the configuration's netName, "" =
/// any.
/// @param fallback take Socket although something else is wanted (a fault)
/// @return "" when there is none of that name; a WARN says so
std::string choose_network(const std::string& wanted, bool fallback, int device);

enum class Way { kPeer, kMemory, kNetwork };
/// From NCCL_P2P_DISABLE and NCCL_SHM_DISABLE of this process; ranks of different hosts have only the
/// network.
Way way_between(const Hello& a, const Hello& b);
/// What makes ranks one host: NCCL_HOSTID, else the host's name.
std::uint64_t host_hash();

struct Choice {
  std::string algorithm, protocol;  // "RING", "LL128"; empty algorithm: none is left of those allowed
  int last_channel = 0;
};
/// For collectives with an algorithm (broadcast, reduce, allgather, reducescatter, allreduce), following
/// NCCL_ALGO and NCCL_PROTO. @param bytes count * size as passed
Choice choose_algorithm(Func func, std::size_t bytes);

}  // namespace collbench::nccl_fake
