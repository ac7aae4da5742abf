#pragma once
// Messages between GIN peers: frames, one message of the transport each. They arrive and are applied in
// order, which makes a signal follow its data and all earlier puts.
#include <cstddef>
#include <cstdint>

namespace collbench::net_plugin::gin {

enum class FrameKind : std::uint32_t {
  kHello = 0x47494e32,  // first frame of a connection; `offset` = rank of the sender
  kRegister,            // the sender has registered its window number `window` of `offset` bytes
  kPut,                 // `bytes` behind the header go to `window` at `offset`
  /// requests `wanted` bytes of `window` at `offset`, to be sent to signal_window at signal_offset of the
  /// requester
  kGet,
  kAnswer,   // answer to a get, in the form of a put; gets are answered in order
  kGoodbye,  // last frame of the sender
};

struct Frame {
  FrameKind kind;
  std::uint32_t
      signals;           // 1: add signal_value when the data is in place; in an answer: this is the last part
  std::uint64_t window;  // number of the registration; equal on all ranks
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t signal_window;
  std::uint64_t signal_offset;
  std::uint64_t signal_value;
  std::uint64_t wanted;
};
static_assert(sizeof(Frame) == 64);

/// A longer put is sent in several frames. Large enough to outweigh the start of a copy engine and of a DMA.
inline constexpr std::size_t kPayloadBytes = std::size_t{256} << 10;
inline constexpr std::size_t kFrameBytes = sizeof(Frame) + kPayloadBytes;
/// Frames in flight per direction of a connection.
inline constexpr std::size_t kFrames = 8;

}  // namespace collbench::net_plugin::gin
