#pragma once
// What NCCL would choose from its environment: network, algorithm and protocol.
#include <cstddef>
#include <string>

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
/// it), or Socket, as NCCL_NET wants it. IB counts as having no device.
/// @param fallback take Socket although something else is wanted (a fault)
/// @return "" when there is none of that name; a WARN says so
std::string choose_network(bool fallback, int device);

struct Choice {
  std::string algorithm, protocol;  // "RING", "LL128"; empty: none is left of those allowed
};
/// For collectives with an algorithm (broadcast, reduce, allgather, reducescatter, allreduce), following
/// NCCL_ALGO and NCCL_PROTO. @param bytes count * size as passed
Choice choose_algorithm(Func func, std::size_t bytes);

}  // namespace collbench::nccl_fake
