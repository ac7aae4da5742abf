#pragma once
// Connection between this rank and one peer, in both directions. Puts are queued without limit and sent frame
// by frame; received frames are delivered in order.
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "net_plugin/gin/staging.h"
#include "net_plugin/gin/windows.h"
#include "net_plugin/gin/wire.h"
#include "transports/transport.h"

namespace collbench::net_plugin::gin {

/// A put, get or flush in progress. NCCL holds a pointer to it as request and tests it.
struct GinOperation {
  bool done = false;
};

/// An entry of the queue of what is to be sent to one peer: a put, an answer to a get, or a message without
/// data, such as a get. It is sent in one or more frames (messages of limited length), whose headers are made
/// from `frame`. Only the last frame has the signal.
struct Outgoing {
  Frame frame{};
  std::uint64_t source = 0;  // number of the source window; unused if `left` is 0
  std::uint64_t source_offset = 0;
  std::size_t left = 0;               // data bytes that are not in a frame yet
  GinOperation* operation = nullptr;  // marked done when the last frame has been sent; may be nullptr
};

/// Connection between this rank and one peer: a send comm, a receive comm and the queue of what is to be
/// sent.
class PeerLink {
 public:
  PeerLink(std::unique_ptr<SendComm> out, GpuCopyStream* copy_stream);
  ~PeerLink();
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;
  /// Adds the receiving direction, once the peer has connected to this rank.
  /// @param in receive comm of this connection
  /// @param copy_stream page-locks the memory of the frames for GPU copies; null = no GPU memory is copied
  void attach(std::unique_ptr<RecvComm> in, GpuCopyStream* copy_stream);
  [[nodiscard]] bool is_attached() const { return in_ != nullptr; }

  /// Appends an entry to the send queue, without sending it.
  void queue(const Outgoing& outgoing);
  /// Fills frames from the send queue and passes them to the transport, as many as it accepts now.
  void send(Windows& windows);
  /// True if the send queue is empty and the transport has sent all frames.
  [[nodiscard]] bool is_idle() const { return outbox_.empty() && finished_ == made_; }
  /// Calls `apply` for each frame that has arrived, in order. On return, the GPU copies that `apply` queued
  /// in `windows` are complete.
  /// @returns false if no frame had arrived or the peer has left before
  bool receive(Windows& windows, const std::function<void(const Frame&, const std::byte* payload)>& apply);

  /// Sizes in bytes of the peer's windows, by number. A peer's window has the number of the window that this
  /// rank registered in the same collective call.
  std::map<std::uint64_t, std::uint64_t> peer_windows;
  /// Gets that the peer has not answered completely yet, in the order in which they were sent.
  std::deque<GinOperation*> gets;
  /// True once the peer has announced that it leaves.
  bool left = false;

 private:
  struct FrameSlot {
    Request* request = nullptr;
    std::size_t bytes = 0;
    GinOperation* operation = nullptr;
  };
  void make_frame(Windows& windows);
  void post();

  Staging out_memory_;
  std::unique_ptr<Staging> in_memory_;
  std::unique_ptr<SendComm> out_;
  std::unique_ptr<RecvComm> in_;
  MemoryRegion *out_region_, *in_region_ = nullptr;
  std::deque<Outgoing> outbox_;
  std::array<FrameSlot, kFrames> slots_{};
  std::uint64_t made_ = 0, handed_ = 0, finished_ = 0;
  std::array<Request*, kFrames> receives_{};
  std::uint64_t posted_ = 0, taken_ = 0;
};

}  // namespace collbench::net_plugin::gin
