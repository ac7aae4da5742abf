#include "net_plugin/gin/link.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace collbench::net_plugin::gin {

PeerLink::PeerLink(std::unique_ptr<SendComm> out, GpuCopyStream* copy_stream)
    : out_memory_(copy_stream),
      out_(std::move(out)),
      out_region_(out_->register_memory(out_memory_.data(), Staging::bytes(), MemoryKind::kHost)) {}

PeerLink::~PeerLink() {
  if (out_region_ != nullptr) out_->deregister_memory(out_region_);
  if (in_region_ != nullptr) in_->deregister_memory(in_region_);
}

void PeerLink::attach(std::unique_ptr<RecvComm> in, GpuCopyStream* copy_stream) {
  in_memory_ = std::make_unique<Staging>(copy_stream);
  in_ = std::move(in);
  in_region_ = in_->register_memory(in_memory_->data(), Staging::bytes(), MemoryKind::kHost);
  post();
}

void PeerLink::queue(const Outgoing& outgoing) { outbox_.push_back(outgoing); }

void PeerLink::make_frame(Windows& windows) {
  Outgoing& outgoing = outbox_.front();
  std::byte* memory = out_memory_.frame(made_);
  const std::size_t part = std::min(outgoing.left, kPayloadBytes);
  const bool is_last = part == outgoing.left;
  Frame frame = outgoing.frame;
  frame.bytes = part;
  if (!is_last) frame.signals = 0;
  std::memcpy(memory, &frame, sizeof frame);
  if (part != 0)
    windows.read(windows.find(outgoing.source, outgoing.source_offset, part), outgoing.source_offset,
                 memory + sizeof frame, part);
  slots_[made_ % kFrames] = {nullptr, sizeof frame + part, is_last ? outgoing.operation : nullptr};
  ++made_;
  outgoing.left -= part;
  outgoing.source_offset += part;
  outgoing.frame.offset += part;
  if (is_last) outbox_.pop_front();
}

void PeerLink::send(Windows& windows) {
  for (bool moves = true; moves;) {
    moves = false;
    while (finished_ != handed_ && out_->test(slots_[finished_ % kFrames].request)) {
      if (GinOperation* operation = slots_[finished_ % kFrames].operation) operation->done = true;
      ++finished_;
      moves = true;
    }
    if (!outbox_.empty() && made_ - finished_ < kFrames) {
      make_frame(windows);
      moves = true;
    }
    while (handed_ != made_) {
      FrameSlot& slot = slots_[handed_ % kFrames];
      slot.request = out_->isend(out_memory_.frame(handed_), slot.bytes, 0, out_region_);
      if (slot.request == nullptr) break;
      ++handed_;
      moves = true;
    }
  }
}

void PeerLink::post() {
  while (!left && posted_ - taken_ < kFrames) {
    const ReceiveBuffer buffer{in_memory_->frame(posted_), kFrameBytes, 0, in_region_};
    Request* request = in_->irecv({&buffer, 1});
    if (request == nullptr) return;
    receives_[posted_++ % kFrames] = request;
  }
}

bool PeerLink::receive(Windows& windows,
                       const std::function<void(const Frame&, const std::byte* payload)>& apply) {
  if (left) return false;
  const std::uint64_t before = taken_;
  std::uint64_t arrived = taken_;
  std::size_t bytes = 0;
  while (!left && arrived != posted_ && in_->test(receives_[arrived % kFrames], &bytes)) {
    const std::byte* memory = in_memory_->frame(arrived++);
    Frame frame;
    if (bytes < sizeof frame)
      throw Error(ErrorCode::kProtocol, "a frame of " + std::to_string(bytes) + " bytes arrived");
    std::memcpy(&frame, memory, sizeof frame);
    if (frame.bytes != bytes - sizeof frame)
      throw Error(ErrorCode::kProtocol, "a frame announces " + std::to_string(frame.bytes) +
                                            " bytes and has " + std::to_string(bytes - sizeof frame));
    apply(frame, memory + sizeof frame);
  }
  if (arrived == before) return false;
  windows.finish();
  taken_ = arrived;
  post();
  return true;
}

}  // namespace collbench::net_plugin::gin
