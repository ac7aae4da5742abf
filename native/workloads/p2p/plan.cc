#include "workloads/p2p/plan.h"

#include <algorithm>

#include "core/error.h"

namespace collbench::p2p {
namespace {

using Way = Message::Way;

void check_ranks(Kind kind, int ranks) {
  if (kind == Kind::kIncast ? ranks >= 2 : ranks >= 2 && ranks % 2 == 0) return;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(kKinds[static_cast<int>(kind)]) + " needs " +
                  (kind == Kind::kIncast ? "2 ranks or more" : "pairs of ranks") + ", not " +
                  std::to_string(ranks));
}

std::vector<Lot> incast(const Shape& shape, int rank, int ranks) {
  if (rank != 0)
    return {{Way::kSend, 0, 0, shape.window, shape.bytes,
             static_cast<std::size_t>(rank - 1) * shape.window * shape.bytes}};
  std::vector<Lot> lots;
  for (int peer = 1; peer < ranks; ++peer)
    lots.push_back({Way::kReceive, peer, static_cast<std::size_t>(peer - 1) * shape.window * shape.bytes,
                    shape.window, shape.bytes});
  return lots;
}

}  // namespace

Steps plan(const Shape& shape, int rank, int ranks, bool paired) {
  check_ranks(shape.kind, ranks);
  if (shape.kind == Kind::kIncast) return {incast(shape, rank, ranks)};
  const bool starts = rank < ranks / 2;
  const int peer = starts ? rank + ranks / 2 : rank - ranks / 2;
  // Requests lie behind the data.
  const std::size_t behind = (shape.window * shape.bytes + kRequestBytes - 1) / kRequestBytes * kRequestBytes;
  const Lot out{Way::kSend, peer, 0, shape.window, shape.bytes};
  const Lot in{Way::kReceive, peer, 0, shape.window, shape.bytes};
  const Lot ask{Way::kSend, peer, behind, shape.window, kRequestBytes, behind, false};
  const Lot asked{Way::kReceive, peer, behind, shape.window, kRequestBytes, 0, false};
  switch (shape.kind) {
    case Kind::kPingpong:
      // Who starts has its receive posted when the answer comes, where it may.
      if (!starts) return {{in}, {out}};
      return paired ? Steps{{out}, {in}} : Steps{{in, out}};
    case Kind::kGet:
      if (shape.both_ways) return {{asked, ask}, {in, out}};
      if (!starts) return {{asked}, {out}};
      return paired ? Steps{{ask}, {in}} : Steps{{in, ask}};
    case Kind::kPut:
      if (!shape.both_ways) return starts ? Steps{{out}} : Steps{{in}};
      [[fallthrough]];
    default:
      return {{in, out}};
  }
}

Lengths lengths_of(const Steps& steps) {
  Lengths lengths;
  for (const auto& lots : steps)
    for (const Lot& lot : lots) {
      std::size_t& length = lot.way == Way::kSend ? lengths.send : lengths.recv;
      length = std::max(length, lot.offset + lot.count * lot.bytes);
    }
  return lengths;
}

}  // namespace collbench::p2p
