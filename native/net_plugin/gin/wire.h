#pragma once
// What GIN peers send each other: frames, one message of the transport each. They arrive in order, and the
// receiver applies them in order; that alone makes a signal follow its data and all earlier puts.
#include <cstddef>
#include <cstdint>

namespace collbench::net_plugin::gin {

enum class FrameKind : std::uint32_t {
  kHello = 0x47494e32,  // first of a connection; `offset` is the sender's rank
  kRegister,            // the sender has registered its window `window`, of `offset` bytes
  kPut,                 // `bytes` behind the header belong to `window` at `offset`
  kGet,      // send `wanted` bytes of `window` at `offset` to signal_window at signal_offset of the sender
  kAnswer,   // as a put; gets are answered in their order
  kGoodbye,  // nothing follows
};

struct Frame {
  FrameKind kind;
  std::uint32_t
      signals;  // 1: add signal_value once the data are in place; of an answer: this is the last part
  std::uint64_t window;  // number of the registration: counted alike on all ranks
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t signal_window;
  std::uint64_t signal_offset;
  std::uint64_t signal_value;
  std::uint64_t wanted;
};
static_assert(sizeof(Frame) == 64);

/// Longer puts travel in several frames: big enough to outweigh the start of a copy engine and of a DMA.
inline constexpr std::size_t kPayloadBytes = std::size_t{256} << 10;
inline constexpr std::size_t kFrameBytes = sizeof(Frame) + kPayloadBytes;
/// Frames under way per direction of a connection.
inline constexpr std::size_t kFrames = 8;

}  // namespace collbench::net_plugin::gin
