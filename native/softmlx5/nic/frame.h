#pragma once
// What crosses from one process's card to another's: frames in rings of shared memory.
#include <cstdint>
#include <utility>

namespace collbench::softmlx5 {

enum class FrameKind : std::uint8_t {
  // requests
  kData,    // bytes of a WRITE or SEND, with them in the ring
  kPull,    // all bytes of a WRITE: the target copies them out of the initiator's memory
  kRead,    // `total` bytes wanted
  kAtomic,  // operands in the ring
  kForget,  // the initiator's queue starts anew: what went wrong before is over
  // answers
  kDone,          // `syndrome` 0, or why not
  kReadData,      // bytes of a READ
  kReadPull,      // the initiator copies them out of the target's memory
  kAtomicResult,  // what was there before, 8 bytes
};

inline constexpr std::uint8_t kFirst = 1, kLast = 2;  // of a message
inline constexpr std::uint8_t kFlip = 4;              // fault: the target inverts a bit of what it wrote

struct FrameHeader {
  FrameKind kind = FrameKind::kDone;
  std::uint8_t opcode = 0;
  std::uint8_t flags = 0;
  std::uint8_t syndrome = 0;
  std::uint32_t bytes = 0;  // that follow in the ring
  std::uint32_t source_queue = 0;
  std::uint32_t target_queue = 0;
  std::uint32_t key = 0;
  std::uint32_t immediate = 0;
  std::uint64_t address = 0;         // of the first byte at the target
  std::uint64_t total = 0;           // bytes of the message
  std::uint64_t source_address = 0;  // pulls: in the other process
  std::int64_t visible_ns = 0;       // link model: not to be seen before
  std::uint32_t access_key = 0;      // DC
  std::uint8_t opmod = 0;
  std::uint8_t receiver_retries = 7;
  std::uint16_t lid = 0;  // of the sender, filled in where it is read

  [[nodiscard]] std::pair<std::uint16_t, std::uint32_t> source() const noexcept {
    return {lid, source_queue};
  }
};
static_assert(sizeof(FrameHeader) == 64);

}  // namespace collbench::softmlx5
