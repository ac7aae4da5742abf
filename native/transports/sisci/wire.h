#pragma once
// Layout of the segments that the two ends write into each other by PIO. A flag (sequence number) is the last
// word written, after a store barrier. Cells are the exception: their words need no order. Every cache line
// has one writer, so no lock and no read over the link is needed.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transports/flagged_words.h"
#include "transports/sisci/objects.h"

namespace collbench::sisci {

inline constexpr std::size_t kLineBytes = 64;

/// Number of message slots in the receiver's segment: so many the sender can fill before the receiver frees
/// any. The receiver reports freed slots a quarter of them at a time.
inline constexpr std::uint64_t kSlots = 32;
/// Maximum size in bytes of a message that the sender stores by PIO directly in a slot. It needs no DMA start
/// (9 us on hardware) and no posted receive buffer. For larger messages DMA, or one copy to the destination,
/// is faster (measured with native/transports/tests/pingpong.cc).
inline constexpr std::size_t kInlineBytes = 8 * 1024;
/// Size in bytes of one staging slot in the receiver's segment. Through staging go parts of messages whose
/// receive buffer DMA cannot reach. A slot is large enough that the start of a DMA does not matter. All slots
/// fit into a cache of 1 MiB while the receiver copies them out.
inline constexpr std::size_t kStagingBytes = 128 * 1024;
inline constexpr std::uint64_t kStagingSlots = 8;
/// Maximum size in bytes of a message part that is stored in staging by PIO, because the start of a DMA would
/// cost more than the copy.
inline constexpr std::size_t kPioFragmentBytes = 16 * 1024;
/// Maximum size in bytes of one DMA transfer. Larger messages are divided, so that several DMA queues share
/// them, and so that test() stays short if DMA is emulated.
inline constexpr std::size_t kDmaPieceBytes = 1024 * 1024;
/// Maximum number of unfinished receives, and of unfinished sends, per connection; equal to
/// NCCL_NET_MAX_REQUESTS.
inline constexpr std::uint64_t kMaxRequests = 32;

enum class SlotKind : std::uint32_t {
  kInline,   // the payload is in the slot
  kPlaced,   // the payload is already in the posted buffer
  kStaged,   // the next staging fragment is filled; `total` = bytes of the message
  kWaiting,  // a message of `total` bytes waits for its receive to be posted
};

/// Space in the receiver's segment for one small message, or for the announcement of data elsewhere.
struct alignas(kLineBytes) SisciSlot {
  std::uint64_t sequence;  // 1 + running number of the slot's use, written last
  SlotKind kind;
  std::uint32_t bytes;  // bytes in this slot or fragment
  std::uint64_t total;  // bytes of the whole message
  std::byte payload[kInlineBytes];
};

/// One control message between two ends (see Control). `flag` is 0 until the peer has written the words.
struct alignas(kLineBytes) ControlLine {
  std::uint64_t flag;
  std::uint64_t words[7];
};

/// Messages that one end of a connection receives while the connection is made and closed, one line each.
/// Each is written once by the peer.
struct Control {
  /// Words: id of the receiver's segment (kNoSegment if the sender writes them); id of the writer's segment
  /// for the DMA test, or kNoSegment; 1 if DMA is tested, otherwise 0.
  ControlLine hello;
  ControlLine canary;  // flag: kProofGood or kProofBad
  ControlLine user_canary;
  ControlLine verdict;  // flag: kProofGood or kProofBad
  ControlLine user_verdict;
  ControlLine closed;
};

inline constexpr std::uint64_t kNoSegment = ~std::uint64_t{0};
inline constexpr std::uint64_t kProofGood = 1;
inline constexpr std::uint64_t kProofBad = 2;

/// Layout of the receiving end's SISCI segment, into which the sender writes: control messages, message
/// slots, cells for messages with flags, and staging memory for parts of large messages.
struct ReceiverMemory {
  Control control;
  SisciSlot slots[kSlots];
  FlaggedCells cells;  // a message is either in the slot of its number or in the cell of its number
  alignas(4096) std::byte staging[kStagingSlots][kStagingBytes];
};

static_assert(kSlots == kFlaggedCells);

/// A receive buffer that the receiver offers to the sender. Once the sender sees `sequence`, the other fields
/// are valid.
struct alignas(kLineBytes) PostedReceive {
  std::uint64_t sequence;    // 1 + number of the receive, written last
  std::uint64_t segment_id;  // kNoSegment: send through staging
  std::uint64_t generation;  // distinguishes a new segment from an old one with the same id
  std::uint64_t offset;
  std::uint64_t bytes;
};

/// Layout of the sending end's SISCI segment, into which the receiver writes: control messages, how many
/// message slots and staging slots it has freed, and the receive buffers that it has posted.
struct SenderMemory {
  Control control;
  alignas(kLineBytes) std::uint64_t slots_consumed;
  alignas(kLineBytes) std::uint64_t staging_consumed;
  PostedReceive posts[kMaxRequests];
};

inline std::uint64_t load_flag(const std::uint64_t& flag) noexcept {
  return __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
}
inline void store_flag(std::uint64_t& flag, std::uint64_t value) noexcept {
  __atomic_store_n(&flag, value, __ATOMIC_RELEASE);
}

/// Writes one control message (to connect, to test the DMA path, or to close) into the peer's segment: first
/// the words, then the flag.
/// @param line position of the message in the mapped segment
/// @param flag value that tells the peer that the message is there; not 0
inline void announce(const RemoteSegment& segment, ControlLine& line, std::uint64_t flag,
                     std::initializer_list<std::uint64_t> words = {}) {
  std::size_t i = 0;
  for (const auto word : words) line.words[i++] = word;
  segment.store_barrier();
  store_flag(line.flag, flag);
  segment.flush();
}

}  // namespace collbench::sisci
