#pragma once
// What the two ends of a connection write into each other's memory. The sender has a desk, on which the
// receiver puts where messages go; the receiver has an inbox, in which the sender announces them. Both ends
// are builds of the same version.
#include <array>
#include <cstddef>
#include <cstdint>

#include "transports/ibgda/queue.h"
#include "transports/transport.h"

namespace collbench::ibgda {

inline constexpr std::uint32_t kMagic = 0x32424749;  // "IGB2": another layout gets another number
inline constexpr std::uint32_t kMaxRequests = 64;
inline constexpr std::size_t kInlineBytes = 8192;  // longer messages go where the receiver wants them

/// One word, so that it arrives at once: the message's number modulo 2^24, never 0 at a message, and its
/// bytes.
constexpr std::uint64_t flag_of(std::uint64_t number, std::uint64_t bytes) noexcept {
  return bytes << 24 | (number % 0xFFFFFF + 1);
}
constexpr bool is_flag_of(std::uint64_t flag, std::uint64_t number) noexcept {
  return (flag & 0xFFFFFF) == number % 0xFFFFFF + 1;
}

/// Where a message goes. `sequence` comes last: its number + 1.
struct Post {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t key = 0;
  std::uint64_t sequence = 0;
};

struct Desk {
  alignas(64) std::uint64_t probed = 0;  // nobody reads it: that it can be written is the answer
  alignas(64) std::array<Post, kMaxRequests> posts;
  alignas(64) std::uint64_t consumed = 0;  // messages that have left the inbox
  alignas(64) std::uint64_t ready = 0;     // the receiver is connected
  alignas(64) std::uint64_t closed = 0;
};

struct Inbox {
  struct alignas(64) Slot {
    std::uint64_t flag = 0;
  };
  alignas(64) std::uint64_t probed = 0;  // likewise
  std::array<Slot, kMaxRequests> slots;
  alignas(64) std::uint64_t closed = 0;
  alignas(4096) std::array<std::array<std::byte, kInlineBytes>, kMaxRequests> payloads;
};

static_assert(offsetof(Desk, probed) == offsetof(Inbox, probed));

/// One end, for the other.
struct End {
  std::uint32_t magic = kMagic;
  std::uint32_t key = 0;
  std::uint64_t memory = 0;  // of its desk or inbox
  QueueAddress queue;
};

}  // namespace collbench::ibgda
