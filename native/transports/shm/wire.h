#pragma once
// What the two ends of a connection share: one channel of memory, each word of it written by one end alone
// but for the two that say who sleeps. A slot's sequence number is written last. Both ends are the same
// build.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transports/flagged_words.h"
#include "transports/socket/hmac.h"

namespace collbench::shm {

inline constexpr std::size_t kCacheLine = 64;

/// Slots under way before the receiver looks; credits come back in quarters. Together they stay in a core's
/// second-level cache.
inline constexpr std::uint64_t kSlots = 32;
inline constexpr std::size_t kSlotBytes = std::size_t{8} << 10;
/// From here on one copy by the kernel is faster than two by the ranks (README.md has the figures).
inline constexpr std::size_t kSingleCopyBytes = std::size_t{32} << 10;
/// One call of the kernel: others are looked at between two.
inline constexpr std::size_t kChunkBytes = std::size_t{512} << 10;
/// Messages in flight per connection and direction; isend and irecv return nullptr beyond.
inline constexpr std::uint64_t kMaxRequests = 64;

enum class SlotKind : std::uint32_t {
  kData,   // the next bytes of the message are in the slot
  kOffer,  // all of them lie in the sender's memory at the address in the slot
};

struct alignas(kCacheLine) Slot {
  std::atomic<std::uint64_t> sequence;  // 1 + number of the slot use
  std::uint64_t total;                  // bytes of the whole message
  SlotKind kind;
  std::int32_t tag;
  std::byte payload[kSlotBytes];  // begins in the same line, so that a small message is one
};

struct Channel {
  // The receiver's words.
  alignas(kCacheLine) std::atomic<std::uint64_t> slots_consumed;
  alignas(kCacheLine) std::atomic<std::uint64_t> offers_taken;
  // 1: set by the one that goes to sleep; taken back by the other, which wakes it.
  alignas(kCacheLine) std::atomic<std::uint32_t> sender_sleeps;
  alignas(kCacheLine) std::atomic<std::uint32_t> receiver_sleeps;
  Slot slots[kSlots];
  FlaggedCells cells;  // a message is in the slot of its number, or here
};
static_assert(kSlots == kFlaggedCells);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share them");

inline constexpr std::uint32_t kMagic = 0x4D485343;  // "CSHM"
inline constexpr std::uint32_t kVersion = 2;

/// Inside a ConnectHandle. The listener's name is made of the nonce.
struct Handle {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint64_t nonce[2] = {};
};

/// Connector to listener.
struct Hello {
  socket::Digest digest{};          // HMAC of "c" and the nonce with the run's token
  std::uint64_t proof_address = 0;  // in the connector's memory
  std::uint64_t proof = 0;          // what lies there
  std::uint32_t sleeps = 1;         // while it waits; 0: it is not to be woken
};

/// Listener to connector, with the memory. The connector answers with one byte when it has mapped it.
struct Answer {
  socket::Digest digest{};        // HMAC of "s" and the nonce
  std::uint32_t accepted = 0;     // 0: another token
  std::uint32_t single_copy = 0;  // the listener could read the proof
  std::uint32_t sleeps = 1;       // as in Hello
};

}  // namespace collbench::shm
