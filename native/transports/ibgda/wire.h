#pragma once
// Layout of the memory that the two ends write into each other. The receiver writes posted receives into the
// sender's memory. The sender announces messages in the receiver's memory. Both ends are builds of the same
// version.
#include <array>
#include <cstddef>
#include <cstdint>

#include "transports/ibgda/queue.h"
#include "transports/transport.h"

namespace collbench::ibgda {

inline constexpr std::uint32_t kMagic = 0x32424749;  // "IGB2"; changes with the layout
inline constexpr std::uint32_t kMaxRequests = 64;
/// Maximum number of bytes of a message that goes through the receiver's `payloads`. Longer ones are written
/// directly into the posted receive buffer.
inline constexpr std::size_t kInlineBytes = 8192;

/// Returns the word that announces a message to the receiver; one word, so that it arrives as a whole. The
/// lower 24 bits are the message's number modulo 2^24 - 1, plus 1, hence never 0; the upper bits are its
/// length in bytes.
constexpr std::uint64_t make_flag(std::uint64_t number, std::uint64_t bytes) noexcept {
  return bytes << 24 | (number % 0xFFFFFF + 1);
}
/// True if `flag` announces message number `number`.
constexpr bool is_flag_for(std::uint64_t flag, std::uint64_t number) noexcept {
  return (flag & 0xFFFFFF) == number % 0xFFFFFF + 1;
}

/// A receive buffer that the receiver offers to the sender. `sequence` (number of the message + 1) is written
/// last; once the sender sees it, the other fields are valid.
struct PostedReceive {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t key = 0;
  std::uint64_t sequence = 0;
};

/// Memory of a connection's sending end, into which the receiver writes by RDMA: its posted receive buffers,
/// how many messages it has consumed, and whether it is connected or has closed.
struct SenderMemory {
  alignas(64) std::uint64_t probed = 0;  // never read: that the write succeeds shows that this end is alive
  alignas(64) std::array<PostedReceive, kMaxRequests> posts;
  alignas(64) std::uint64_t consumed = 0;  // messages that have left the receiver's memory
  alignas(64) std::uint64_t ready = 0;     // 1 when the receiver is connected
  alignas(64) std::uint64_t closed = 0;
};

/// Memory of a connection's receiving end, into which the sender writes by RDMA: announcements of messages,
/// the data of short ones, and whether the sender has closed.
struct ReceiverMemory {
  struct alignas(64) Announcement {
    std::uint64_t flag = 0;
  };
  alignas(64) std::uint64_t probed = 0;  // never read, as in SenderMemory
  std::array<Announcement, kMaxRequests> slots;
  alignas(64) std::uint64_t closed = 0;
  alignas(4096) std::array<std::array<std::byte, kInlineBytes>, kMaxRequests> payloads;
};

static_assert(offsetof(SenderMemory, probed) == offsetof(ReceiverMemory, probed));

/// Data that one end of a connection sends to its peer. The peer needs it to connect its queue and to write
/// into the memory of this end.
struct EndpointAddress {
  std::uint32_t magic = kMagic;
  std::uint32_t key = 0;
  std::uint64_t memory = 0;  // address of this end's SenderMemory or ReceiverMemory
  QueueAddress queue;
};

}  // namespace collbench::ibgda
