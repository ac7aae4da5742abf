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

/// A request as NCCL holds it.
struct GinOperation {
  bool done = false;
};

/// A put, or a message to the peer, in the send queue; `frame` is the header of its last part.
struct Outgoing {
  Frame frame{};
  std::uint64_t source = 0;  // number of the source window; unused if `left` is 0
  std::uint64_t source_offset = 0;
  std::size_t left = 0;
  GinOperation* operation = nullptr;  // marked done after the last part; may be nullptr
};

class PeerLink {
 public:
  PeerLink(std::unique_ptr<SendComm> out, GpuCopyStream* copy_stream);
  ~PeerLink();
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;
  void attach(std::unique_ptr<RecvComm> in, GpuCopyStream* copy_stream);
  [[nodiscard]] bool is_attached() const { return in_ != nullptr; }

  void queue(const Outgoing& outgoing);
  /// Makes frames and sends as many as the transport accepts.
  void send(Windows& windows);
  /// True if nothing is queued and nothing is in flight.
  [[nodiscard]] bool is_idle() const { return outbox_.empty() && finished_ == made_; }
  /// Delivers received frames to `apply`, which may leave copies queued. False if none had arrived.
  bool receive(Windows& windows, const std::function<void(const Frame&, const std::byte* payload)>& apply);

  /// Number of the peer's window for each of ours, as the peer registered them.
  std::map<std::uint64_t, std::uint64_t> peer_windows;
  /// Gets sent to the peer and not answered yet, in order.
  std::deque<GinOperation*> gets;
  /// True after the peer's goodbye.
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
