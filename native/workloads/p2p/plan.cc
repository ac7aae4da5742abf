#include "workloads/p2p/plan.h"

#include <algorithm>

#include "core/error.h"

namespace collbench::p2p {
namespace {

using Direction = PeerMessage::Direction;

void check_ranks(PairOperation kind, int ranks) {
  if (kind == PairOperation::kIncast ? ranks >= 2 : ranks >= 2 && ranks % 2 == 0) return;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(kKinds[static_cast<int>(kind)]) + " needs " +
                  (kind == PairOperation::kIncast ? "2 ranks or more" : "pairs of ranks") + ", not " +
                  std::to_string(ranks));
}

std::vector<MessageBatch> incast(const PairOptions& shape, int rank, int ranks) {
  if (rank != 0)
    return {{Direction::kSend, 0, 0, shape.window, shape.bytes,
             static_cast<std::size_t>(rank - 1) * shape.window * shape.bytes}};
  std::vector<MessageBatch> lots;
  for (int peer = 1; peer < ranks; ++peer)
    lots.push_back({Direction::kReceive, peer,
                    static_cast<std::size_t>(peer - 1) * shape.window * shape.bytes, shape.window,
                    shape.bytes});
  return lots;
}

}  // namespace

TransferSteps plan(const PairOptions& shape, int rank, int ranks, bool paired) {
  check_ranks(shape.kind, ranks);
  if (shape.kind == PairOperation::kIncast) return {incast(shape, rank, ranks)};
  const bool starts = rank < ranks / 2;
  const int peer = starts ? rank + ranks / 2 : rank - ranks / 2;
  // Requests lie behind the data.
  const std::size_t behind = (shape.window * shape.bytes + kRequestBytes - 1) / kRequestBytes * kRequestBytes;
  const MessageBatch out{Direction::kSend, peer, 0, shape.window, shape.bytes};
  const MessageBatch in{Direction::kReceive, peer, 0, shape.window, shape.bytes};
  const MessageBatch ask{Direction::kSend, peer, behind, shape.window, kRequestBytes, behind, false};
  const MessageBatch asked{Direction::kReceive, peer, behind, shape.window, kRequestBytes, 0, false};
  switch (shape.kind) {
    case PairOperation::kPingpong:
      // The rank that starts has its receive posted when the answer arrives, if the engine allows it.
      if (!starts) return {{in}, {out}};
      return paired ? TransferSteps{{out}, {in}} : TransferSteps{{in, out}};
    case PairOperation::kGet:
      if (shape.both_ways) return {{asked, ask}, {in, out}};
      if (!starts) return {{asked}, {out}};
      return paired ? TransferSteps{{ask}, {in}} : TransferSteps{{in, ask}};
    case PairOperation::kPut:
      if (!shape.both_ways) return starts ? TransferSteps{{out}} : TransferSteps{{in}};
      [[fallthrough]];
    default:
      return {{in, out}};
  }
}

BufferLengths lengths_of(const TransferSteps& steps) {
  BufferLengths lengths;
  for (const auto& lots : steps)
    for (const MessageBatch& lot : lots) {
      std::size_t& length = lot.direction == Direction::kSend ? lengths.send : lengths.recv;
      length = std::max(length, lot.offset + lot.count * lot.bytes);
    }
  return lengths;
}

}  // namespace collbench::p2p
