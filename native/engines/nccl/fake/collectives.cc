// Collectives as one exchange between all ranks: which rank sends which block to which rank, and how they are
// combined.
#include <cstring>

#include "engines/nccl/fake/operation.h"

namespace collbench::nccl_fake {
namespace {

bool reduces(NcclFunction func) {
  return func == NcclFunction::kAllReduce || func == NcclFunction::kReduce ||
         func == NcclFunction::kReduceScatter;
}

bool moves(const StreamOperation& operation, int from, int to) {
  switch (operation.func) {
    case NcclFunction::kBroadcast:
    case NcclFunction::kScatter:
      return from == operation.root;
    case NcclFunction::kReduce:
    case NcclFunction::kGather:
      return to == operation.root;
    default:
      return true;
  }
}

/// Returns this rank's input multiplied by its factor; empty if the operation has no factor. Factors exist
/// for a premultiplied sum and for NCCL's average of floats, which is a sum of inputs times 1/ranks. Each
/// product is rounded to the type.
std::vector<std::byte> scaled_input(const Comm& comm, const StreamOperation& operation) {
  const bool float_avg = operation.op == kAvg && is_float_type(operation.dtype);
  if (operation.op < kFirstOwnOp && !float_avg) return {};
  const PremulSum& premul = operation.premul;
  std::byte scalar[8] = {};
  if (float_avg)
    reciprocal(operation.dtype, comm.ranks, scalar);
  else
    std::memcpy(scalar, premul.on_device != nullptr ? premul.on_device : premul.scalar,
                bytes_of_type(operation.dtype));
  std::vector<std::byte> scaled(ranges_of(operation, comm.rank, comm.ranks).send_bytes);
  multiply(operation.dtype, operation.send, scalar, scaled.data(),
           scaled.size() / bytes_of_type(operation.dtype));
  return scaled;
}

}  // namespace

BufferRanges ranges_of(const StreamOperation& operation, int rank, int ranks) {
  const std::size_t one = operation.bytes(), all = one * static_cast<std::size_t>(ranks);
  const std::size_t at_root = rank == operation.root ? 1 : 0;
  switch (operation.func) {
    case NcclFunction::kAllReduce:
      return {one, one};
    case NcclFunction::kAllGather:
      return {one, all};
    case NcclFunction::kReduceScatter:
      return {all, one};
    case NcclFunction::kBroadcast:
      return {one * at_root, one};
    case NcclFunction::kReduce:
      return {one, one * at_root};
    case NcclFunction::kAlltoAll:
      return {all, all};
    case NcclFunction::kGather:
      return {one, all * at_root};
    case NcclFunction::kScatter:
      return {all * at_root, one};
    case NcclFunction::kSend:
      return {one, 0};
    case NcclFunction::kRecv:
      return {0, one};
  }
  return {};
}

ExchangeResult run_collective(Comm& comm, const StreamOperation& operation, std::string& problem) {
  const NcclFunction func = operation.func;
  const std::size_t bytes = operation.bytes();
  const bool by_peer = func == NcclFunction::kAlltoAll || func == NcclFunction::kScatter ||
                       func == NcclFunction::kReduceScatter;
  const bool one_block = func == NcclFunction::kBroadcast || func == NcclFunction::kScatter;
  const auto scaled = reduces(func) ? scaled_input(comm, operation) : std::vector<std::byte>();
  auto* send = scaled.empty() ? static_cast<const std::byte*>(operation.send) : scaled.data();
  std::vector<std::byte> theirs(reduces(func) ? bytes * static_cast<std::size_t>(comm.ranks) : 0);
  auto* recv = reduces(func) ? theirs.data() : static_cast<std::byte*>(operation.recv);
  const auto tag = static_cast<std::uint64_t>(func) << 8 | static_cast<std::uint64_t>(operation.dtype);
  std::vector<TransferPiece> sends, recvs;
  std::vector<const void*> inputs;
  for (int peer = 0; peer < comm.ranks; ++peer) {
    const std::size_t block = static_cast<std::size_t>(peer) * bytes;
    if (moves(operation, comm.rank, peer))
      sends.push_back({peer, const_cast<std::byte*>(send) + (by_peer ? block : 0), bytes, tag});
    if (!moves(operation, peer, comm.rank)) continue;
    inputs.push_back(recv + (one_block ? 0 : block));
    recvs.push_back({peer, recv + (one_block ? 0 : block), bytes, tag});
  }
  const ExchangeResult done = comm.mesh.exchange(sends, recvs, comm.aborted, problem);
  if (done == ExchangeResult::kDone && reduces(func) && !inputs.empty())
    combine(operation.dtype, scaled.empty() ? operation.op : kSum, inputs, operation.recv, operation.count);
  return done;
}

}  // namespace collbench::nccl_fake
