// Workload whose unit is the hand-off of a KV cache from prefill to decode ranks, as serving systems do it
// that compute the prompt on some machines and the answer on others. Axes:
//   model         name of the shape, for people
//   transfer      push (prefill ranks send), pull (decode ranks send their page table and get the pages)
//   schedule      at-once (all descriptors, page by page), by-layer (one step per layer)
//   layout        layer, page, contiguous (plan.h)
//   layers, tensors, heads, headBytes   shape: tensors per layer, heads of a tensor, bytes of a token of a
// head
//   prefill, decode                     ranks of each side, which share the heads
//   pageTokens, tokens                  tokens of a page and of the prompt; the last page is sent whole
// The host's clock times a hand-off on every engine: what posting many descriptors costs is part of it. Only
// engines without a device say when a page arrived.
#include "workloads/workload.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "engines/engine.h"
#include "workloads/host_view.h"
#include "workloads/kv/content.h"
#include "workloads/kv/plan.h"

namespace collbench {
namespace kv {
namespace {

constexpr Ability kNeeds[] = {Ability::kMessages};
constexpr std::string_view kAxes[] = {"model", "transfer",  "schedule", "layout", "layers",     "tensors",
                                      "heads", "headBytes", "prefill",  "decode", "pageTokens", "tokens"};
constexpr std::int64_t kMaxLayers = 1024, kMaxHeads = 1024, kMaxHeadBytes = 1 << 16, kMaxRanks = 4096;
constexpr std::int64_t kMaxPageTokens = 1 << 16, kMaxTokens = 1 << 24;
constexpr std::size_t kMaxBytes = std::size_t{1} << 40;

std::size_t count_of(const Axes& axes, std::string_view name, std::int64_t highest) {
  return static_cast<std::size_t>(axes.whole(name, 1, highest));
}

void require_divisible(std::size_t heads, int ranks, const char* side) {
  if (heads % static_cast<std::size_t>(ranks) == 0) return;
  throw Error(ErrorCode::kInvalidArgument, std::to_string(heads) + " heads cannot be shared equally by " +
                                               std::to_string(ranks) + " " + side + " ranks");
}

HandOff hand_off_of(const Axes& axes) {
  HandOff hand_off;
  hand_off.pulls = axes.choice("transfer", kTransfers) == 1;
  hand_off.by_layer = axes.choice("schedule", kSchedules) == 1;
  hand_off.layout = static_cast<Layout>(axes.choice("layout", kLayouts));
  hand_off.layers = count_of(axes, "layers", kMaxLayers);
  hand_off.tensors = count_of(axes, "tensors", 2);
  hand_off.heads = count_of(axes, "heads", kMaxHeads);
  hand_off.token_bytes = count_of(axes, "headBytes", kMaxHeadBytes);
  hand_off.prefill = static_cast<int>(axes.whole("prefill", 1, kMaxRanks));
  hand_off.decode = static_cast<int>(axes.whole("decode", 1, kMaxRanks));
  hand_off.page_tokens = count_of(axes, "pageTokens", kMaxPageTokens);
  const std::size_t tokens = count_of(axes, "tokens", kMaxTokens);
  hand_off.pages = (tokens + hand_off.page_tokens - 1) / hand_off.page_tokens;
  require_divisible(hand_off.heads, hand_off.prefill, "prefill");
  require_divisible(hand_off.heads, hand_off.decode, "decode");
  if (hand_off.total_bytes() > kMaxBytes)
    throw Error(ErrorCode::kInvalidArgument,
                "a KV cache of " + format_size(hand_off.total_bytes()) + " is more than 1 TiB");
  return hand_off;
}

/// Bytes of one entry of the page table that a decode rank sends in a pull: the position of a page.
constexpr std::size_t kTableEntryBytes = sizeof(std::uint64_t);

class KvHandOff final : public Workload {
 public:
  KvHandOff(const WorkloadContext& context, const HandOff& hand_off)
      : engine_(context.engine),
        hand_off_(hand_off),
        rank_(require_rank(context, hand_off)),
        seed_(context.seed),
        sends_(hand_off.is_prefill(rank_)),
        steps_(descriptors_of(hand_off, rank_, seed_)) {
    engine_.connect_all();
    // The cache is the send buffer of prefill ranks and the receive buffer of decode ranks. Page tables go
    // the other way.
    for (const std::size_t index : {0, 1}) {
      const bool is_cache = (index == 0) == sends_;
      const bool of_prefill = index == 0;
      std::size_t bytes = is_cache ? cache_bytes(of_prefill) : tables_bytes(sends_);
      if (engine_.equal_buffers()) bytes = std::max(cache_bytes(of_prefill), tables_bytes(!of_prefill));
      buffers_[index] = static_cast<std::byte*>(engine_.buffer(static_cast<int>(index), bytes));
      (is_cache ? cache_ : table_) =
          HostView(engine_, buffers_[index], is_cache ? cache_bytes(sends_) : tables_bytes(sends_));
    }
    std::memset(table_.data(), 0, tables_bytes(sends_));
    fill(context.iteration);
    for (const std::vector<Descriptor>& step : steps_) add_step(step);
  }

  void prepare(std::uint64_t iteration, std::uint32_t, std::uint32_t) override { fill(iteration); }

  void run(std::uint32_t units) override {
    for (std::uint32_t n = 0; n < units; ++n) {
      began_ns_ = now_ns();
      for (const std::vector<PeerMessage>& messages : transfers_) engine_.transfer(messages);
    }
  }

  void wait() override { engine_.synchronize(); }
  [[nodiscard]] bool queues() const override { return engine_.on_device(); }

  Verification verify(std::uint64_t iteration) override {
    Verification result;
    if (sends_) return result;
    cache_.download();
    std::vector<std::byte> wanted(hand_off_.head_bytes());
    for_pieces(hand_off_, rank_, seed_, [&](const Piece& piece) {
      for (std::size_t head = 0; head < piece.heads; ++head) {
        const PageHead where{piece.page, piece.layer, piece.tensor, piece.first_head + head};
        fill_head(seed_, iteration, where, wanted);
        const std::size_t offset = piece.offset + head * wanted.size();
        result.compared += wanted.size();
        if (std::memcmp(wanted.data(), cache_.data() + offset, wanted.size()) != 0)
          add_wrong(result, iteration, where, piece.peer, offset, wanted);
      }
    });
    return result;
  }

  void take_columns(OperationColumns& columns) override {
    if (sends_ || engine_.on_device()) return;
    std::int64_t page_ns = 0, layer_ns = 0;
    std::size_t index = 0;
    for (const std::vector<Descriptor>& step : steps_)
      for (const Descriptor& descriptor : step) {
        const std::int64_t taken_ns = arrivals_ns_[index++] - began_ns_;
        if (descriptor.has_first_page) page_ns = std::max(page_ns, taken_ns);
        if (descriptor.has_first_layer) layer_ns = std::max(layer_ns, taken_ns);
      }
    columns["firstPage"].push_back(page_ns);
    columns["firstLayer"].push_back(layer_ns);
  }

 private:
  static int require_rank(const WorkloadContext& context, const HandOff& hand_off) {
    if (context.ranks != hand_off.prefill + hand_off.decode)
      throw Error(ErrorCode::kInvalidArgument, std::to_string(hand_off.prefill) + " prefill and " +
                                                   std::to_string(hand_off.decode) + " decode ranks are " +
                                                   std::to_string(hand_off.prefill + hand_off.decode) +
                                                   " ranks, not " + std::to_string(context.ranks));
    return context.rank;
  }

  [[nodiscard]] std::size_t table_bytes() const { return hand_off_.pages * kTableEntryBytes; }

  [[nodiscard]] std::size_t cache_bytes(bool of_prefill) const { return hand_off_.rank_bytes(of_prefill); }
  /// Returns the bytes of the page tables that a rank of that side sends or receives, one for each rank of
  /// the other side.
  [[nodiscard]] std::size_t tables_bytes(bool of_prefill) const {
    return static_cast<std::size_t>(of_prefill ? hand_off_.decode : hand_off_.prefill) * table_bytes();
  }

  /// Returns the messages of the page tables in a pull. A rank's tables lie in the order of its peers.
  std::vector<PeerMessage> tables() {
    using enum PeerMessage::Direction;
    std::vector<PeerMessage> messages;
    const std::vector<int> peers = peers_of(hand_off_, rank_);
    for (std::size_t n = 0; n < peers.size(); ++n) {
      const std::vector<int> its = peers_of(hand_off_, peers[n]);
      const auto place = static_cast<std::size_t>(std::find(its.begin(), its.end(), rank_) - its.begin());
      messages.push_back({sends_ ? kReceive : kSend, peers[n], buffers_[sends_ ? 1 : 0] + n * table_bytes(),
                          table_bytes(), buffers_[1] + place * table_bytes()});
    }
    return messages;
  }

  /// Appends the transfers of one step: in a pull the page tables, then the pages. A decode rank starts as
  /// many of them at the same time as the engine allows, in one transfer.
  void add_step(const std::vector<Descriptor>& step) {
    using enum PeerMessage::Direction;
    std::vector<PeerMessage> messages;
    for (const Descriptor& descriptor : step)
      messages.push_back({sends_ ? kSend : kReceive, descriptor.peer,
                          buffers_[sends_ ? 0 : 1] + descriptor.offset, descriptor.bytes,
                          buffers_[1] + descriptor.peer_offset});
    if (!sends_) {
      if (transfers_.empty()) {
        std::size_t count = 0;
        for (const std::vector<Descriptor>& one : steps_) count += one.size();
        arrivals_ns_.resize(count);
      }
      for (PeerMessage& message : messages) message.arrived_ns = &arrivals_ns_[receives_++];
    }
    const bool alike = sends_ || engine_.pairs_transfers();
    if (hand_off_.pulls) {
      std::vector<PeerMessage> requests = tables();
      if (alike)
        transfers_.push_back(std::move(requests));
      else
        messages.insert(messages.end(), requests.begin(), requests.end());
    }
    // Pushed pages come without a request, so the decode rank expects the pages of all steps from the start,
    // unless its transfers must match those of the prefill rank.
    if (alike || hand_off_.pulls || transfers_.empty())
      transfers_.push_back(std::move(messages));
    else
      transfers_.front().insert(transfers_.front().end(), messages.begin(), messages.end());
  }

  /// Fills the cache of a prefill rank with the data of an iteration. A decode rank gets bytes that differ
  /// from them everywhere, and its page table.
  void fill(std::uint64_t iteration) {
    for_pieces(hand_off_, rank_, seed_, [&](const Piece& piece) {
      const std::size_t each = hand_off_.head_bytes();
      for (std::size_t head = 0; head < piece.heads; ++head) {
        const std::span<std::byte> bytes(cache_.data() + piece.offset + head * each, each);
        fill_head(seed_, iteration, {piece.page, piece.layer, piece.tensor, piece.first_head + head}, bytes);
        if (!sends_) spoil(bytes);
      }
    });
    cache_.upload();
    if (sends_ || !hand_off_.pulls) return;
    const std::vector<std::size_t> slots = slots_of(hand_off_.pages, false, seed_);
    for (int peer = 0; peer < hand_off_.prefill; ++peer)
      for (std::size_t page = 0; page < slots.size(); ++page) {
        const std::uint64_t slot = slots[page];
        std::memcpy(table_.data() + static_cast<std::size_t>(peer) * table_bytes() + page * kTableEntryBytes,
                    &slot, kTableEntryBytes);
      }
    table_.upload();
  }

  /// Adds the wrong bytes of one head to the verification result.
  /// @param offset of the head in this rank's cache  @param peer prefill rank that sent the head
  void add_wrong(Verification& result, std::uint64_t iteration, const PageHead& where, int peer,
                 std::size_t offset, std::span<const std::byte> wanted) {
    const std::byte* const got = cache_.data() + offset;
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      if (wanted[at] == got[at] || result.wrong++ > 0) continue;
      result.first_index = offset + at;
      result.wanted = std::to_string(std::to_integer<int>(wanted[at]));
      result.got = std::to_string(std::to_integer<int>(got[at]));
      result.note = "page " + std::to_string(where.page) + " of rank " + std::to_string(peer) + ", layer " +
                    std::to_string(where.layer) + tensor_name(where.tensor) + ", head " +
                    std::to_string(where.head) + explanation(iteration, where, {got, wanted.size()}, wanted);
    }
  }

  [[nodiscard]] const char* tensor_name(std::size_t tensor) const {
    if (hand_off_.tensors == 1) return "";
    return tensor == 0 ? " keys" : " values";
  }

  /// Returns what the bytes of a wrong head are, for its note: ": nothing arrived", ": page 5 is there"; ""
  /// if they are not known.
  [[nodiscard]] std::string explanation(std::uint64_t iteration, const PageHead& where,
                                        std::span<const std::byte> got,
                                        std::span<const std::byte> wanted) const {
    std::vector<std::byte> other(wanted.begin(), wanted.end());
    spoil(other);
    if (std::equal(got.begin(), got.end(), other.begin())) return ": nothing arrived";
    PageHead candidate = where;
    for (candidate.page = 0; candidate.page < hand_off_.pages; ++candidate.page) {
      fill_head(seed_, iteration, candidate, other);
      if (std::equal(got.begin(), got.end(), other.begin()))
        return ": page " + std::to_string(candidate.page) + " is there";
    }
    return "";
  }

  Engine& engine_;
  const HandOff hand_off_;
  const int rank_;
  const std::uint64_t seed_;
  const bool sends_;  // True on prefill ranks.
  const std::vector<std::vector<Descriptor>> steps_;
  std::array<std::byte*, 2> buffers_{};              // The engine's send and receive buffer.
  HostView cache_, table_;                           // Cache of this rank; page tables, one per peer.
  std::vector<std::vector<PeerMessage>> transfers_;  // Run one after the other.
  std::int64_t began_ns_ = 0;
  std::vector<std::int64_t> arrivals_ns_;  // By descriptor, in the order of `steps_`.
  std::size_t receives_ = 0;               // Descriptors that have their place in arrivals_ns_.
};

std::unique_ptr<Workload> create(const WorkloadContext& context, const Axes& axes) {
  return std::make_unique<KvHandOff>(context, hand_off_of(axes));
}

std::string words_of(const Axes& axes) {
  const HandOff hand_off = hand_off_of(axes);
  return std::string(kTransfers[hand_off.pulls ? 1 : 0]) + " of a KV cache of " +
         std::to_string(hand_off.pages) + " pages (" + format_size(hand_off.total_bytes()) + ")";
}

}  // namespace
}  // namespace kv

WorkloadEntry kv_workload() { return {"kv", kv::kNeeds, kv::kAxes, kv::create, kv::words_of}; }

}  // namespace collbench
