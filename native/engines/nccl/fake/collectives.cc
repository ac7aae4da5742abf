// Collectives as exchanges between all ranks. Reductions go through slices, so that the memory they need is
// bounded.
#include <algorithm>
#include <cstring>

#include "engines/nccl/fake/operation.h"

namespace collbench::nccl_fake {
namespace {

/// Elements of one rank's part of a slice.
constexpr std::size_t kSlice = 128 << 10;

/// What one call needs while it runs on one rank.
struct Run {
  Comm& comm;
  const Operation& operation;
  std::string& problem;
  std::size_t size = bytes_of_type(operation.dtype);
  int phase = 0;
  bool scaled = false;  // the input is multiplied before it is summed
  std::byte scalar[8] = {};
  int op = operation.op;
  std::vector<std::byte> mine{};    // scaled input
  std::vector<std::byte> theirs{};  // peers' parts, by rank

  [[nodiscard]] std::byte* send_at(std::size_t element) const {
    return const_cast<std::byte*>(static_cast<const std::byte*>(operation.send)) + element * size;
  }
  [[nodiscard]] std::byte* recv_at(std::size_t element) const {
    return static_cast<std::byte*>(operation.recv) + element * size;
  }
  [[nodiscard]] Piece piece(int peer, void* data, std::size_t elements) const {
    const auto tag = static_cast<std::uint64_t>(operation.func) << 16 |
                     static_cast<std::uint64_t>(operation.dtype) << 8 | static_cast<std::uint64_t>(phase);
    return {peer, data, elements * size, tag};
  }
  Exchanged exchange(std::vector<Piece> sends, std::vector<Piece> recvs) const {
    return comm.mesh.exchange(std::move(sends), std::move(recvs), comm.aborted, problem);
  }
};

/// NCCL's avg of floats is a sum of inputs multiplied by 1/ranks, each product rounded to the type.
void prepare_scaling(Run& run) {
  const bool float_avg = run.op == kAvg && is_float_type(run.operation.dtype);
  if (run.op < kFirstOwnOp && !float_avg) return;
  run.scaled = true;
  run.op = kSum;
  const PremulSum& premul = run.operation.premul;
  if (float_avg)
    reciprocal(run.operation.dtype, run.comm.ranks, run.scalar);
  else
    std::memcpy(run.scalar, premul.on_device != nullptr ? premul.on_device : premul.scalar, run.size);
}

/// Own input [first, first + count), scaled where the operation wants it, at `mine` + `place` elements.
std::byte* contribution(Run& run, std::size_t first, std::size_t count, std::size_t place) {
  if (!run.scaled) return run.send_at(first);
  run.mine.resize(std::max(run.mine.size(), (place + count) * run.size));
  std::byte* at = run.mine.data() + place * run.size;
  multiply(run.operation.dtype, run.send_at(first), run.scalar, at, count);
  return at;
}

/// Sends part[j] of `count[j]` elements to rank j and combines what all ranks send here, in the order of
/// ranks.
Exchanged reduce_parts(Run& run, const std::vector<std::byte*>& parts, const std::vector<std::size_t>& counts,
                       void* out) {
  const int rank = run.comm.rank;
  const std::size_t count = counts[static_cast<std::size_t>(rank)];
  run.theirs.resize(std::max(run.theirs.size(), static_cast<std::size_t>(run.comm.ranks) * count * run.size));
  std::vector<Piece> sends, recvs;
  std::vector<const void*> inputs;
  for (int peer = 0; peer < run.comm.ranks; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    std::byte* place = run.theirs.data() + at * count * run.size;
    inputs.push_back(peer == rank ? parts[at] : place);
    if (peer == rank) continue;
    if (counts[at] > 0) sends.push_back(run.piece(peer, parts[at], counts[at]));
    if (count > 0) recvs.push_back(run.piece(peer, place, count));
  }
  if (const Exchanged moved = run.exchange(std::move(sends), std::move(recvs)); moved != Exchanged::kDone)
    return moved;
  if (count > 0) combine(run.operation.dtype, run.op, inputs, out, count);
  return Exchanged::kDone;
}

Exchanged all_reduce(Run& run) {
  const auto ranks = static_cast<std::size_t>(run.comm.ranks), rank = static_cast<std::size_t>(run.comm.rank);
  for (std::size_t first = 0; first < run.operation.count; first += ranks * kSlice) {
    const std::size_t count = std::min(ranks * kSlice, run.operation.count - first);
    const std::size_t part = (count + ranks - 1) / ranks;
    std::byte* input = contribution(run, first, count, 0);
    std::vector<std::byte*> parts;
    std::vector<std::size_t> counts;
    for (std::size_t j = 0; j < ranks; ++j) {
      const std::size_t begin = std::min(count, j * part);
      parts.push_back(input + begin * run.size);
      counts.push_back(std::min(count, begin + part) - begin);
    }
    const auto place = [&](std::size_t j) { return run.recv_at(first + std::min(count, j * part)); };
    run.phase = 0;
    if (const Exchanged moved = reduce_parts(run, parts, counts, place(rank)); moved != Exchanged::kDone)
      return moved;
    run.phase = 1;
    std::vector<Piece> sends, recvs;
    for (std::size_t j = 0; j < ranks; ++j) {
      if (j == rank) continue;
      if (counts[rank] > 0) sends.push_back(run.piece(static_cast<int>(j), place(rank), counts[rank]));
      if (counts[j] > 0) recvs.push_back(run.piece(static_cast<int>(j), place(j), counts[j]));
    }
    if (const Exchanged moved = run.exchange(std::move(sends), std::move(recvs)); moved != Exchanged::kDone)
      return moved;
  }
  return Exchanged::kDone;
}

/// Rank j gets the sum of all ranks' block j; in place its result lies in its own block, which nobody else
/// needs.
Exchanged reduce_scatter(Run& run) {
  const auto ranks = static_cast<std::size_t>(run.comm.ranks);
  for (std::size_t first = 0; first < run.operation.count; first += kSlice) {
    const std::size_t count = std::min(kSlice, run.operation.count - first);
    run.mine.resize(run.scaled ? ranks * count * run.size : 0);  // before addresses in it are taken
    std::vector<std::byte*> parts;
    for (std::size_t j = 0; j < ranks; ++j)
      parts.push_back(contribution(run, j * run.operation.count + first, count, j * count));
    if (const Exchanged moved =
            reduce_parts(run, parts, std::vector<std::size_t>(ranks, count), run.recv_at(first));
        moved != Exchanged::kDone)
      return moved;
  }
  return Exchanged::kDone;
}

Exchanged reduce(Run& run) {
  const auto ranks = static_cast<std::size_t>(run.comm.ranks);
  for (std::size_t first = 0; first < run.operation.count; first += kSlice) {
    const std::size_t count = std::min(kSlice, run.operation.count - first);
    std::byte* input = contribution(run, first, count, 0);
    std::vector<std::size_t> counts(ranks, 0);
    counts[static_cast<std::size_t>(run.operation.root)] = count;
    const Exchanged moved = reduce_parts(run, std::vector<std::byte*>(ranks, input), counts,
                                         run.comm.rank == run.operation.root ? run.recv_at(first) : nullptr);
    if (moved != Exchanged::kDone) return moved;
  }
  return Exchanged::kDone;
}

/// All collectives that only move data: who sends which block to whom.
Exchanged move_blocks(Run& run) {
  const Func func = run.operation.func;
  const int rank = run.comm.rank, root = run.operation.root;
  const std::size_t count = run.operation.count;
  std::vector<Piece> sends, recvs;
  for (int peer = 0; peer < run.comm.ranks; ++peer) {
    const std::size_t theirs = static_cast<std::size_t>(peer) * count;
    const bool by_peer = func == Func::kAlltoAll || func == Func::kScatter;
    const bool from_all = func == Func::kAllGather || func == Func::kAlltoAll || func == Func::kGather;
    const bool sender = func == Func::kAllGather || func == Func::kAlltoAll ||
                        (func == Func::kGather ? peer == root : rank == root);
    const bool receiver = func == Func::kAllGather || func == Func::kAlltoAll ||
                          (func == Func::kGather ? rank == root : peer == root);
    if (sender) sends.push_back(run.piece(peer, run.send_at(by_peer ? theirs : 0), count));
    if (receiver) recvs.push_back(run.piece(peer, run.recv_at(from_all ? theirs : 0), count));
  }
  return run.exchange(std::move(sends), std::move(recvs));
}

}  // namespace

Ranges ranges_of(const Operation& operation, int rank, int ranks) {
  const std::size_t one = operation.bytes(), all = one * static_cast<std::size_t>(ranks);
  const bool is_root = rank == operation.root;
  switch (operation.func) {
    case Func::kAllReduce:
      return {one, one};
    case Func::kAllGather:
      return {one, all};
    case Func::kReduceScatter:
      return {all, one};
    case Func::kBroadcast:
      return {is_root ? one : 0, one};
    case Func::kReduce:
      return {one, is_root ? one : 0};
    case Func::kAlltoAll:
      return {all, all};
    case Func::kGather:
      return {one, is_root ? all : 0};
    case Func::kScatter:
      return {is_root ? all : 0, one};
    case Func::kSend:
      return {one, 0};
    case Func::kRecv:
      return {0, one};
  }
  return {};
}

Exchanged run_collective(Comm& comm, const Operation& operation, std::string& problem) {
  Run run{comm, operation, problem};
  prepare_scaling(run);
  switch (operation.func) {
    case Func::kAllReduce:
      return all_reduce(run);
    case Func::kReduceScatter:
      return reduce_scatter(run);
    case Func::kReduce:
      return reduce(run);
    default:
      return move_blocks(run);
  }
}

}  // namespace collbench::nccl_fake
