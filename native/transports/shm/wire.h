#pragma once
// Layout of the shared memory of a connection. Each word is written by one end only, except the two sleep
// words. A slot's sequence number is written last. Both ends are the same build.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transports/flagged_words.h"
#include "transports/socket/hmac.h"

namespace collbench::shm {

inline constexpr std::size_t kCacheLine = 64;

/// Number of slots for messages in the shared memory of a connection. The sender can fill all before the
/// receiver frees any; the receiver frees a quarter of them at a time. All slots together fit into a core's
/// second-level cache.
inline constexpr std::uint64_t kSlots = 32;
inline constexpr std::size_t kSlotBytes = std::size_t{8} << 10;
/// Messages of at least this many bytes are copied once, by the kernel, from the sender's to the receiver's
/// memory. From this size on, that is faster than two copies through slots (README.md has the figures).
inline constexpr std::size_t kSingleCopyBytes = std::size_t{32} << 10;
/// Maximum number of bytes that the receiver copies at a time. Between two such copies other connections can
/// make progress.
inline constexpr std::size_t kChunkBytes = std::size_t{512} << 10;
/// Maximum number of unfinished messages per connection and direction. When it is reached, isend and irecv
/// return nullptr.
inline constexpr std::uint64_t kMaxRequests = 64;

enum class SlotKind : std::uint32_t {
  kData,   // the slot holds the next bytes of the message
  kOffer,  // the slot holds the address of the whole message in the sender's memory
};

/// Slot of a shm connection's ring in shared memory. It holds one message, a part of a larger one, or the
/// address of a message. In the last case the receiver reads the message from the sender's memory.
struct alignas(kCacheLine) ShmSlot {
  std::atomic<std::uint64_t> sequence;  // 1 + running number of the slot's use
  std::uint64_t total;                  // bytes of the whole message
  SlotKind kind;
  std::int32_t tag;
  std::byte payload[kSlotBytes];  // starts in the same cache line, so that a small message fits into one line
};

/// Shared memory of one connection: a ring of slots, and a ring of cells. A cell holds a message of up to
/// 2 KiB in which each word carries data and a flag (flagged_words.h). The sender writes both rings, the
/// receiver reads them.
struct SharedChannel {
  // Words that the receiver writes.
  alignas(kCacheLine) std::atomic<std::uint64_t> slots_consumed;
  alignas(kCacheLine) std::atomic<std::uint64_t> offers_taken;
  // 1: set by the end that goes to sleep, cleared by the peer that wakes it.
  alignas(kCacheLine) std::atomic<std::uint32_t> sender_sleeps;
  alignas(kCacheLine) std::atomic<std::uint32_t> receiver_sleeps;
  ShmSlot slots[kSlots];
  FlaggedCells cells;  // a message is either in the slot of its number or in the cell of its number
};
static_assert(kSlots == kFlaggedCells);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share them");

inline constexpr std::uint32_t kMagic = 0x4D485343;  // "CSHM"
inline constexpr std::uint32_t kVersion = 2;

/// Content of the ConnectHandle of a shm listener. The name of the listener's local socket is made from the
/// nonce.
struct ListenerHandle {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint64_t nonce[2] = {};
};

/// First message on the local socket, from connector to listener: it proves that the connector knows the
/// run's token.
struct ConnectRequest {
  socket::Digest digest{};          // HMAC of "c" and the nonce with the run's token
  std::uint64_t proof_address = 0;  // address of `proof` in the connector's memory
  std::uint64_t proof = 0;          // value at proof_address, to test reading it
  std::uint32_t sleeps = 1;         // 1: this end sleeps while it waits; 0: never wake it
};

/// The listener's answer to ConnectRequest. The message also carries the file descriptor of the connection's
/// shared memory. The connector replies with one byte when it has mapped that memory.
struct ConnectAnswer {
  socket::Digest digest{};        // HMAC of "s" and the nonce
  std::uint32_t accepted = 0;     // 0: the connector has another token
  std::uint32_t single_copy = 0;  // 1: the listener could read the proof from the connector's memory
  std::uint32_t sleeps = 1;       // same meaning as in ConnectRequest
};

}  // namespace collbench::shm
