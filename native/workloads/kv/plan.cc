#include "workloads/kv/plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "workloads/kv/content.h"

namespace collbench::kv {
namespace {

/// A range of heads that one rank holds.
struct HeadRange {
  std::size_t first = 0, count = 0;
};

HeadRange heads_of(const HandOff& hand_off, int rank) {
  const bool of_prefill = hand_off.is_prefill(rank);
  const int index = of_prefill ? rank : rank - hand_off.prefill;
  const std::size_t count =
      hand_off.heads / static_cast<std::size_t>(of_prefill ? hand_off.prefill : hand_off.decode);
  return {static_cast<std::size_t>(index) * count, count};
}

HeadRange common(const HeadRange& one, const HeadRange& other) {
  const std::size_t first = std::max(one.first, other.first);
  const std::size_t end = std::min(one.first + one.count, other.first + other.count);
  return {first, end > first ? end - first : 0};
}

/// Position of pieces in the cache of one rank. Not for Layout::kContiguous.
class PagedCache {
 public:
  PagedCache(const HandOff& hand_off, int rank, std::uint64_t slots_seed)
      : hand_off_(hand_off),
        heads_(heads_of(hand_off, rank)),
        slots_(slots_of(hand_off.pages, hand_off.is_prefill(rank), slots_seed)) {}

  /// Returns the offset in bytes of a head of a page.
  [[nodiscard]] std::size_t offset_of(std::size_t page, std::size_t layer, std::size_t tensor,
                                      std::size_t head) const {
    const std::size_t slot = slots_[page];
    const std::size_t block =
        hand_off_.layout == Layout::kLayer ? layer * hand_off_.pages + slot : slot * hand_off_.layers + layer;
    return ((block * hand_off_.tensors + tensor) * heads_.count + head - heads_.first) *
           hand_off_.head_bytes();
  }

 private:
  const HandOff& hand_off_;
  const HeadRange heads_;
  const std::vector<std::size_t> slots_;
};

/// A peer with the heads that it shares with this rank, and its part of a contiguous cache.
struct PeerShare {
  int rank = 0;
  HeadRange heads;
  std::size_t begin = 0, sent = 0;  // Offset of the peer's part, and bytes of the pieces so far.
};

std::vector<PeerShare> shares_of(const HandOff& hand_off, int rank) {
  const bool of_prefill = hand_off.is_prefill(rank);
  const int first = of_prefill ? hand_off.prefill : 0;
  const int count = of_prefill ? hand_off.decode : hand_off.prefill;
  std::vector<PeerShare> shares;
  std::size_t begin = 0;
  for (int peer = first; peer < first + count; ++peer) {
    const HeadRange heads = common(heads_of(hand_off, rank), heads_of(hand_off, peer));
    if (heads.count == 0) continue;
    shares.push_back({peer, heads, begin});
    begin += hand_off.layers * hand_off.tensors * hand_off.pages * heads.count * hand_off.head_bytes();
  }
  return shares;
}

/// Calls `use(page, layer)` in the order in which pages of layers are sent.
template <class Use>
void in_order(const HandOff& hand_off, Use use) {
  const std::size_t outer = hand_off.by_layer ? hand_off.layers : hand_off.pages;
  const std::size_t inner = hand_off.by_layer ? hand_off.pages : hand_off.layers;
  for (std::size_t a = 0; a < outer; ++a)
    for (std::size_t b = 0; b < inner; ++b) hand_off.by_layer ? use(b, a) : use(a, b);
}

/// Returns true if two consecutive pieces for one peer may share a descriptor: serving systems join what
/// their layout keeps together, but pieces of different steps are never joined.
bool may_join(const HandOff& hand_off, const Piece& one, const Piece& next) {
  if (hand_off.by_layer && one.layer != next.layer) return false;
  if (hand_off.layout == Layout::kContiguous) return true;
  return one.page == next.page && (hand_off.layout == Layout::kPage || one.layer == next.layer);
}

/// Returns the offset of the part for `peer` in the contiguous cache of `rank`.
std::size_t begin_of(const HandOff& hand_off, int rank, int peer) {
  for (const PeerShare& share : shares_of(hand_off, rank))
    if (share.rank == peer) return share.begin;
  return 0;
}

}  // namespace

std::vector<int> peers_of(const HandOff& hand_off, int rank) {
  std::vector<int> peers;
  for (const PeerShare& share : shares_of(hand_off, rank)) peers.push_back(share.rank);
  return peers;
}

std::vector<std::size_t> slots_of(std::size_t pages, bool of_prefill, std::uint64_t slots_seed) {
  std::vector<std::size_t> slots(pages);
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::uint64_t state = mixed(slots_seed + (of_prefill ? 1 : 2));
  for (std::size_t left = pages; left > 1; --left) {
    state = mixed(state + left);
    std::swap(slots[left - 1], slots[state % left]);
  }
  return slots;
}

void for_pieces(const HandOff& hand_off, int rank, std::uint64_t slots_seed,
                const std::function<void(const Piece&)>& use) {
  std::vector<PeerShare> shares = shares_of(hand_off, rank);
  const PagedCache cache(hand_off, rank, slots_seed);
  in_order(hand_off, [&](std::size_t page, std::size_t layer) {
    for (PeerShare& share : shares)
      for (std::size_t tensor = 0; tensor < hand_off.tensors; ++tensor) {
        Piece piece{share.rank,
                    page,
                    layer,
                    tensor,
                    share.heads.first,
                    share.heads.count,
                    0,
                    share.heads.count * hand_off.head_bytes()};
        piece.offset = hand_off.layout == Layout::kContiguous
                           ? share.begin + share.sent
                           : cache.offset_of(page, layer, tensor, share.heads.first);
        share.sent += piece.bytes;
        use(piece);
      }
  });
}

std::vector<std::vector<Descriptor>> descriptors_of(const HandOff& hand_off, int rank,
                                                    std::uint64_t slots_seed) {
  /// The latest descriptor for a peer, with its last piece and where the next one would follow at the peer.
  struct Latest {
    Piece piece;
    std::size_t index = 0, step = 0, peer_end = 0;
    bool exists = false;
  };
  const int ranks = hand_off.prefill + hand_off.decode;
  std::vector<Latest> latest(static_cast<std::size_t>(ranks));
  std::vector<PagedCache> caches;
  for (int r = 0; r < ranks; ++r) {
    caches.emplace_back(hand_off, r, slots_seed);
    latest[static_cast<std::size_t>(r)].peer_end = begin_of(hand_off, r, rank);
  }
  std::vector<std::vector<Descriptor>> steps(hand_off.steps());
  for_pieces(hand_off, rank, slots_seed, [&](const Piece& piece) {
    Latest& last = latest[static_cast<std::size_t>(piece.peer)];
    const std::size_t step = hand_off.by_layer ? piece.layer : 0;
    const std::size_t at_peer = hand_off.layout == Layout::kContiguous
                                    ? last.peer_end
                                    : caches[static_cast<std::size_t>(piece.peer)].offset_of(
                                          piece.page, piece.layer, piece.tensor, piece.first_head);
    const bool joins = last.exists && may_join(hand_off, last.piece, piece) &&
                       last.piece.offset + last.piece.bytes == piece.offset && last.peer_end == at_peer;
    if (joins) {
      steps[last.step][last.index].bytes += piece.bytes;
    } else {
      steps[step].push_back({piece.peer, piece.offset, piece.bytes, at_peer});
      last.index = steps[step].size() - 1;
      last.step = step;
    }
    Descriptor& descriptor = steps[last.step][last.index];
    descriptor.has_first_page = descriptor.has_first_page || piece.page == 0;
    descriptor.has_first_layer = descriptor.has_first_layer || piece.layer == 0;
    last.piece = piece;
    last.peer_end = at_peer + piece.bytes;
    last.exists = true;
  });
  return steps;
}

}  // namespace collbench::kv
