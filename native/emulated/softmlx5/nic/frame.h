#pragma once
// Messages between the cards of two processes: frames in rings of shared memory.
#include <cstdint>
#include <utility>

namespace collbench::softmlx5 {

enum class FrameKind : std::uint8_t {
  // Requests.
  kData,    // bytes of a WRITE or SEND; they follow in the ring
  kPull,    // a WRITE, or a slice of one: the target copies `total` bytes from the initiator's memory
  kRead,    // request to read `total` bytes
  kAtomic,  // an atomic; its operands follow in the ring
  kForget,  // the initiator's queue was reset: earlier errors no longer count
  // Answers.
  kDone,          // end of a request: `syndrome` 0 or the error
  kReadData,      // bytes of a READ; they follow in the ring
  kReadPull,      // end of a READ that the initiator copies from the target's memory
  kAtomicResult,  // old value of an atomic, 8 bytes
};

inline constexpr std::uint8_t kFirst = 1, kLast = 2;  // first and last frame of a message
inline constexpr std::uint8_t kFlip = 4;  // fault injection: the target inverts a bit of the data it wrote

struct FrameHeader {
  FrameKind kind = FrameKind::kDone;
  std::uint8_t opcode = 0;
  std::uint8_t flags = 0;
  std::uint8_t syndrome = 0;
  std::uint32_t bytes = 0;  // bytes that follow in the ring
  std::uint32_t source_queue = 0;
  std::uint32_t target_queue = 0;
  std::uint32_t key = 0;
  std::uint32_t immediate = 0;
  std::uint64_t address = 0;         // address of the first byte at the target
  std::uint64_t total = 0;           // bytes of the whole message
  std::uint64_t source_address = 0;  // for pulls: address in the sender's process
  std::int64_t visible_ns = 0;       // link model: earliest time at which the frame is at the reader
  std::uint32_t access_key = 0;      // DC only
  std::uint8_t opmod = 0;
  std::uint8_t receiver_retries = 7;
  std::uint16_t lid = 0;  // LID of the sender; set by the reader

  /// Bytes that cross the link with this frame, through the ring or by a pull.
  [[nodiscard]] std::uint64_t carried_bytes() const noexcept {
    return kind == FrameKind::kPull || kind == FrameKind::kReadPull ? total : bytes;
  }
  [[nodiscard]] std::pair<std::uint16_t, std::uint32_t> source() const noexcept {
    return {lid, source_queue};
  }
};
static_assert(sizeof(FrameHeader) == 64);

}  // namespace collbench::softmlx5
