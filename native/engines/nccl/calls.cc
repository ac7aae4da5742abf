#include "engines/nccl/calls.h"

#include <string>

#include "core/error.h"

namespace collbench::nccl {
namespace {

/// Sends and receives that together make one collective, started as one NCCL group.
class NcclGroup {
 public:
  NcclGroup(Communicator& comm, const CollectiveCall& call, void* stream)
      : comm_(comm),
        api_(comm.api()),
        send_(static_cast<const std::byte*>(call.send)),
        recv_(static_cast<std::byte*>(call.recv)),
        element_(size_of(call.operation.dtype)),
        type_(nccl_type(call.operation.dtype, api_.version)),
        stream_(stream) {
    comm_.check(api_.group_start(), "ncclGroupStart");
  }
  void send(std::size_t first, std::size_t count, int peer) { send_from(send_, first, count, peer); }
  /// Sends elements of the receive buffer that an earlier group has received from other ranks.
  void forward(std::size_t first, std::size_t count, int peer) { send_from(recv_, first, count, peer); }
  void recv(std::size_t first, std::size_t count, int peer) {
    if (count > 0)
      comm_.check(api_.recv(recv_ + first * element_, count, type_, peer, comm_.get(), stream_), "ncclRecv");
  }
  void end() { comm_.check(api_.group_end(), "ncclGroupEnd"); }

 private:
  void send_from(const std::byte* base, std::size_t first, std::size_t count, int peer) {
    if (count > 0)
      comm_.check(api_.send(base + first * element_, count, type_, peer, comm_.get(), stream_), "ncclSend");
  }
  Communicator& comm_;
  const NcclApi& api_;
  const std::byte* send_;
  std::byte* recv_;
  std::size_t element_;
  int type_;
  void* stream_;
};

void alltoall_by_parts(Communicator& comm, const CollectiveCall& call, int ranks, void* stream) {
  const std::size_t count = call.operation.count;
  NcclGroup group(comm, call, stream);
  for (int peer = 0; peer < ranks; ++peer) {
    group.send(static_cast<std::size_t>(peer) * count, count, peer);
    group.recv(static_cast<std::size_t>(peer) * count, count, peer);
  }
  group.end();
}

void alltoallv(Communicator& comm, const CollectiveCall& call, int rank, int ranks, void* stream) {
  NcclGroup group(comm, call, stream);
  for (int peer = 0; peer < ranks; ++peer) {
    const BufferPart out = part_for(call.operation, rank, peer, ranks);
    const BufferPart in = part_from(call.operation, rank, peer, ranks);
    group.send(out.at, out.length, peer);
    group.recv(in.at, in.length, peer);
  }
  group.end();
}

void gather_by_parts(Communicator& comm, const CollectiveCall& call, int rank, int ranks, void* stream) {
  const Operation& operation = call.operation;
  const bool in_place = operation.in_place && rank == operation.root;
  NcclGroup group(comm, call, stream);
  if (!in_place) group.send(0, operation.count, operation.root);
  if (rank == operation.root)
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank || !in_place)
        group.recv(static_cast<std::size_t>(peer) * operation.count, operation.count, peer);
  group.end();
}

void scatter_by_parts(Communicator& comm, const CollectiveCall& call, int rank, int ranks, void* stream) {
  const Operation& operation = call.operation;
  const bool in_place = operation.in_place && rank == operation.root;
  NcclGroup group(comm, call, stream);
  if (rank == operation.root)
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank || !in_place)
        group.send(static_cast<std::size_t>(peer) * operation.count, operation.count, peer);
  if (!in_place) group.recv(0, operation.count, operation.root);
  group.end();
}

void sendrecv(Communicator& comm, const CollectiveCall& call, int rank, int ranks, void* stream) {
  NcclGroup group(comm, call, stream);
  group.send(0, call.operation.count, (rank + 1) % ranks);
  group.recv(0, call.operation.count, (rank + ranks - 1) % ranks);
  group.end();
}

/// Runs the hypercube allgather: in step k, two partners send each other all 2^k parts that they have.
void hypercube(Communicator& comm, const CollectiveCall& call, int rank, int ranks, void* stream) {
  const std::size_t count = call.operation.count;
  if (!call.operation.in_place) {
    NcclGroup own(comm, call, stream);
    own.send(0, count, rank);
    own.recv(static_cast<std::size_t>(rank) * count, count, rank);
    own.end();
  }
  for (int have = 1; have < ranks; have *= 2) {
    const int partner = rank ^ have;
    const auto first_of = [&](int r) { return static_cast<std::size_t>(r / have * have) * count; };
    const std::size_t elements = static_cast<std::size_t>(have) * count;
    NcclGroup group(comm, call, stream);
    group.forward(first_of(rank), elements, partner);
    group.recv(first_of(partner), elements, partner);
    group.end();
  }
}

}  // namespace

std::span<const CollectiveKind> queued_kinds() noexcept {
  using enum CollectiveKind;
  static constexpr CollectiveKind kKinds[] = {kAllreduce, kAllgather, kReducescatter, kBroadcast,
                                              kReduce,    kAlltoall,  kGather,        kScatter,
                                              kSendrecv,  kHypercube, kAlltoallv};
  return kKinds;
}

void queue_call(Communicator& comm, const CollectiveCall& call, int rank, int ranks, void* stream) {
  const NcclApi& api = comm.api();
  const Operation& o = call.operation;
  if (o.count == 0) return;
  const int type = nccl_type(o.dtype, api.version);
  NcclComm* const c = comm.get();
  switch (o.kind) {
    case CollectiveKind::kAllreduce:
      return comm.check(
          api.all_reduce(call.send, call.recv, o.count, type, comm.op(o.op, o.dtype), c, stream),
          "ncclAllReduce");
    case CollectiveKind::kAllgather:
      return comm.check(api.all_gather(call.send, call.recv, o.count, type, c, stream), "ncclAllGather");
    case CollectiveKind::kReducescatter:
      return comm.check(
          api.reduce_scatter(call.send, call.recv, o.count, type, comm.op(o.op, o.dtype), c, stream),
          "ncclReduceScatter");
    case CollectiveKind::kBroadcast:
      return comm.check(api.broadcast(call.send, call.recv, o.count, type, o.root, c, stream),
                        "ncclBroadcast");
    case CollectiveKind::kReduce:
      return comm.check(
          api.reduce(call.send, call.recv, o.count, type, comm.op(o.op, o.dtype), o.root, c, stream),
          "ncclReduce");
    case CollectiveKind::kAlltoall:
      if (api.all_to_all == nullptr) return alltoall_by_parts(comm, call, ranks, stream);
      return comm.check(api.all_to_all(call.send, call.recv, o.count, type, c, stream), "ncclAlltoAll");
    case CollectiveKind::kGather:
      if (api.gather == nullptr) return gather_by_parts(comm, call, rank, ranks, stream);
      return comm.check(api.gather(call.send, call.recv, o.count, type, o.root, c, stream), "ncclGather");
    case CollectiveKind::kScatter:
      if (api.scatter == nullptr) return scatter_by_parts(comm, call, rank, ranks, stream);
      return comm.check(api.scatter(call.send, call.recv, o.count, type, o.root, c, stream), "ncclScatter");
    case CollectiveKind::kSendrecv:
      return sendrecv(comm, call, rank, ranks, stream);
    case CollectiveKind::kHypercube:
      return hypercube(comm, call, rank, ranks, stream);
    case CollectiveKind::kAlltoallv:
      return alltoallv(comm, call, rank, ranks, stream);
  }
  throw Error(ErrorCode::kInternal,
              "NCCL has no call for collective kind " + std::to_string(static_cast<int>(o.kind)));
}

void queue_messages(Communicator& comm, std::span<const PeerMessage> messages, void* stream) {
  const NcclApi& api = comm.api();
  const int bytes = nccl_type(DataType::kUint8, api.version);
  comm.check(api.group_start(), "ncclGroupStart");
  for (const PeerMessage& message : messages) {
    if (message.bytes == 0) continue;
    if (message.direction == PeerMessage::Direction::kSend)
      comm.check(api.send(message.data, message.bytes, bytes, message.peer, comm.get(), stream), "ncclSend");
    else
      comm.check(api.recv(message.data, message.bytes, bytes, message.peer, comm.get(), stream), "ncclRecv");
  }
  comm.check(api.group_end(), "ncclGroupEnd");
}

}  // namespace collbench::nccl
