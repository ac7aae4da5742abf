#pragma once
// What the two ends of a connection write into each other's memory by PIO. A flag (sequence number) is always
// the last word written, after a store barrier, but for cells, whose words need no order; every line has one
// writer, so that nothing needs a lock or a read over the link. The receiver's segment is an Inbox, the
// sender's a Desk.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transports/flagged_words.h"
#include "transports/sisci/objects.h"

namespace collbench::sisci {

inline constexpr std::size_t kLineBytes = 64;

/// Slots of the inbox: messages that may be under way before the receiver looks. Credits come back in
/// quarters.
inline constexpr std::uint64_t kSlots = 32;
/// Up to this size a message goes by PIO inside its slot: one hop, no DMA start (9 us on hardware) and no
/// rendezvous. Above, a DMA engine or a single copy into the destination wins (measured with
/// native/transports/tests/pingpong.cc).
inline constexpr std::size_t kInlineBytes = 8 * 1024;
/// Fragments for destinations the DMA path cannot reach. Big enough to outweigh a DMA start, small enough for
/// all of them to stay in a cache of 1 MiB while the receiver copies out.
inline constexpr std::size_t kStagingBytes = 128 * 1024;
inline constexpr std::uint64_t kStagingSlots = 8;
/// Up to this size a fragment goes by PIO even to staging: a DMA start costs more than the copy.
inline constexpr std::size_t kPioFragmentBytes = 16 * 1024;
/// Largest single DMA, so that several queues share one big message and test() stays short where DMA is
/// emulated.
inline constexpr std::size_t kDmaPieceBytes = 1024 * 1024;
/// Receives posted and sends accepted at once per connection: NCCL_NET_MAX_REQUESTS.
inline constexpr std::uint64_t kMaxRequests = 32;

enum class SlotKind : std::uint32_t {
  kInline,   // payload in the slot
  kPlaced,   // payload already in the posted buffer
  kStaged,   // next staging fragment; `total` bytes in the message
  kWaiting,  // nothing yet: a message of `total` bytes waits for its receive to be posted
};

struct alignas(kLineBytes) Slot {
  std::uint64_t sequence;  // 1 + number of the slot use, written last
  SlotKind kind;
  std::uint32_t bytes;  // in this slot or fragment
  std::uint64_t total;  // in the whole message
  std::byte payload[kInlineBytes];
};

/// One announcement of the handshake; `flag` is 0 until it is made.
struct alignas(kLineBytes) Line {
  std::uint64_t flag;
  std::uint64_t words[7];
};

struct Control {
  Line hello;   // words: segment id of the inbox, segment id of the proof memory or kNoSegment, proof wanted
                // (0, 1)
  Line canary;  // flag: Announced
  Line user_canary;
  Line verdict;  // flag: Announced
  Line user_verdict;
  Line closed;
};

inline constexpr std::uint64_t kNoSegment = ~std::uint64_t{0};
inline constexpr std::uint64_t kGood = 1;
inline constexpr std::uint64_t kBad = 2;

struct Inbox {
  Control control;
  Slot slots[kSlots];
  FlaggedCells cells;  // a message is in the slot of its number, or here
  alignas(4096) std::byte staging[kStagingSlots][kStagingBytes];
};

static_assert(kSlots == kFlaggedCells);

/// A receive buffer that the sender may write into directly.
struct alignas(kLineBytes) Post {
  std::uint64_t sequence;    // 1 + number of the receive, written last
  std::uint64_t segment_id;  // kNoSegment: use staging
  std::uint64_t generation;  // tells a new segment from an old one with the same id
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct Desk {
  Control control;
  alignas(kLineBytes) std::uint64_t slots_consumed;
  alignas(kLineBytes) std::uint64_t staging_consumed;
  Post posts[kMaxRequests];
};

inline std::uint64_t load_flag(const std::uint64_t& flag) noexcept {
  return __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
}
inline void store_flag(std::uint64_t& flag, std::uint64_t value) noexcept {
  __atomic_store_n(&flag, value, __ATOMIC_RELEASE);
}

/// Writes one line of the handshake into the peer's memory.
inline void announce(const RemoteSegment& segment, Line& line, std::uint64_t flag,
                     std::initializer_list<std::uint64_t> words = {}) {
  std::size_t i = 0;
  for (const auto word : words) line.words[i++] = word;
  segment.store_barrier();
  store_flag(line.flag, flag);
  segment.flush();
}

}  // namespace collbench::sisci
