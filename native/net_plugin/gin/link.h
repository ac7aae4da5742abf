#pragma once
// Both directions between this rank and one other: puts queue up here without limit, leave frame by frame,
// and what arrives is given out in order.
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

/// What NCCL holds as a request.
struct Operation {
  bool done = false;
};

/// One put (or word to the peer) on its way; `frame` is that of its last part.
struct Outgoing {
  Frame frame{};
  std::uint64_t source = 0;  // number of the window; none where `left` is 0
  std::uint64_t source_offset = 0;
  std::size_t left = 0;
  Operation* operation = nullptr;  // done with the last part; may be nullptr
};

class Link {
 public:
  Link(std::unique_ptr<SendComm> out, GpuLane* lane);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  void attach(std::unique_ptr<RecvComm> in, GpuLane* lane);
  [[nodiscard]] bool is_attached() const { return in_ != nullptr; }

  void queue(const Outgoing& outgoing);
  /// Makes frames and hands them over, as far as there is room.
  void send(Windows& windows);
  /// Nothing waits, and nothing is on its way.
  [[nodiscard]] bool is_idle() const { return outbox_.empty() && finished_ == made_; }
  /// Gives out what has arrived; `apply` may leave copies queued. False: nothing had.
  bool receive(Windows& windows, const std::function<void(const Frame&, const std::byte* payload)>& apply);

  /// Windows of the peer by number, as it registered them.
  std::map<std::uint64_t, std::uint64_t> peer_windows;
  /// Asked of the peer and not answered yet, in order.
  std::deque<Operation*> gets;
  /// It has said goodbye.
  bool left = false;

 private:
  struct Slot {
    Request* request = nullptr;
    std::size_t bytes = 0;
    Operation* operation = nullptr;
  };
  void make_frame(Windows& windows);
  void post();

  Staging out_memory_;
  std::unique_ptr<Staging> in_memory_;
  std::unique_ptr<SendComm> out_;
  std::unique_ptr<RecvComm> in_;
  MemoryRegion *out_region_, *in_region_ = nullptr;
  std::deque<Outgoing> outbox_;
  std::array<Slot, kFrames> slots_{};
  std::uint64_t made_ = 0, handed_ = 0, finished_ = 0;
  std::array<Request*, kFrames> receives_{};
  std::uint64_t posted_ = 0, taken_ = 0;
};

}  // namespace collbench::net_plugin::gin
