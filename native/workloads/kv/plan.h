#pragma once
// Memory of a KV cache on prefill and decode ranks, and the descriptors with which it moves between them, as
// plain data. Ranks below HandOff::prefill are prefill ranks, the others decode ranks. Each rank of a side
// holds an equal share of the heads of every page.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace collbench::kv {

/// Arrangement of the cache in memory. kLayer: every layer has its own pool of pages. kPage: a page holds all
/// layers. kContiguous: all bytes for one peer lie in one piece, in the order in which they are sent. In
/// kLayer and kPage pages lie in mixed order, which differs between the two sides, as page tables make it.
enum class Layout : std::uint8_t { kLayer, kPage, kContiguous };
inline constexpr std::string_view kLayouts[] = {"layer", "page", "contiguous"};
inline constexpr std::string_view kTransfers[] = {"push", "pull"};
inline constexpr std::string_view kSchedules[] = {"at-once", "by-layer"};

struct HandOff {
  bool pulls = false;     // Decode ranks ask for the pages; otherwise prefill ranks send them unasked.
  bool by_layer = false;  // One step per layer; otherwise one step for everything, page by page.
  Layout layout = Layout::kLayer;
  std::size_t layers = 1;
  std::size_t tensors = 2;  // Tensors per layer: keys and values, or 1 for a latent that holds both.
  std::size_t heads = 1;    // Heads of a tensor on all ranks of a side together.
  std::size_t page_tokens = 1;
  std::size_t token_bytes = 1;  // Bytes of one token of one head of one tensor.
  std::size_t pages = 1;
  int prefill = 1, decode = 1;  // Numbers of ranks.

  [[nodiscard]] std::size_t head_bytes() const noexcept { return page_tokens * token_bytes; }
  /// Returns the bytes of the whole cache, which is also what one hand-off moves.
  [[nodiscard]] std::size_t total_bytes() const noexcept {
    return layers * tensors * pages * heads * head_bytes();
  }
  [[nodiscard]] bool is_prefill(int rank) const noexcept { return rank < prefill; }
  /// Returns the bytes of the cache on one rank of that side.
  [[nodiscard]] std::size_t rank_bytes(bool of_prefill) const noexcept {
    return total_bytes() / static_cast<std::size_t>(of_prefill ? prefill : decode);
  }
  [[nodiscard]] std::size_t steps() const noexcept { return by_layer ? layers : 1; }
};

/// Heads of one page of one tensor of one layer that one rank sends to another. They are contiguous on both.
struct Piece {
  int peer = 0;
  std::size_t page = 0, layer = 0, tensor = 0;
  std::size_t first_head = 0, heads = 0;  // Heads are numbered over all ranks of a side.
  std::size_t offset = 0;                 // Bytes from the start of this rank's cache.
  std::size_t bytes = 0;
};

/// A contiguous range of this rank's cache that one message moves. It is contiguous at the peer, too.
struct Descriptor {
  int peer = 0;
  std::size_t offset = 0, bytes = 0;
  std::size_t peer_offset = 0;   // Offset of the same range in the peer's cache.
  bool has_first_page = false;   // It contains bytes of page 0.
  bool has_first_layer = false;  // It contains bytes of layer 0.
};

/// Calls `use` with every piece of this rank's cache, in the order in which pieces are sent.
/// @param slots_seed determines the order of pages in memory
void for_pieces(const HandOff& hand_off, int rank, std::uint64_t slots_seed,
                const std::function<void(const Piece&)>& use);

/// Returns the ranks of the other side that share heads with `rank`, in ascending order.
std::vector<int> peers_of(const HandOff& hand_off, int rank);

/// Returns the descriptors of one rank for each step. Two ranks have the same descriptors for each other, in
/// the same order.
std::vector<std::vector<Descriptor>> descriptors_of(const HandOff& hand_off, int rank,
                                                    std::uint64_t slots_seed);

/// Returns the position in memory of each page: a permutation of 0 to pages - 1.
std::vector<std::size_t> slots_of(std::size_t pages, bool of_prefill, std::uint64_t slots_seed);

}  // namespace collbench::kv
