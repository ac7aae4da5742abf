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
  /// asks for `wanted` bytes of the receiver's `window` from `offset` on; the answer goes to the requester's
  /// window `signal_window`, at `signal_offset`
  kGet,
  kAnswer,   // answer to a get, in the form of a put; gets are answered in order
  kGoodbye,  // last frame of the sender
};

/// Header of a message between the plugins of two ranks (GIN); the meaning of the fields depends on `kind`.
struct Frame {
  FrameKind kind;
  std::uint32_t
      signals;           // 1: add signal_value when the data is in place; in an answer: this is the last part
  std::uint64_t window;  // number of the registration; equal on all ranks
  std::uint64_t offset;
  std::uint64_t bytes;  // length of the data behind this header
  std::uint64_t signal_window;
  std::uint64_t signal_offset;
  std::uint64_t signal_value;
  std::uint64_t wanted;
};
static_assert(sizeof(Frame) == 64);

/// Maximum number of data bytes in a frame (one message); a longer put is sent in several frames. They are so
/// long that the time to start a copy engine or DMA does not matter.
inline constexpr std::size_t kPayloadBytes = std::size_t{256} << 10;
inline constexpr std::size_t kFrameBytes = sizeof(Frame) + kPayloadBytes;
/// Maximum number of frames (messages) in flight, per direction of a connection between two ranks.
inline constexpr std::size_t kFrames = 8;

}  // namespace collbench::net_plugin::gin
