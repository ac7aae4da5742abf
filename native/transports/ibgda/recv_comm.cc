#include "transports/ibgda/recv_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace collbench::ibgda {
namespace {

// Room in the inbox is given back in quarters.
constexpr std::uint64_t kCredits = kMaxRequests / 4;

}  // namespace

IbgdaRecvComm::IbgdaRecvComm(std::unique_ptr<Link> link, std::shared_ptr<Ledger> ledger)
    : link_(std::move(link)), ledger_(std::move(ledger)), tally_(ledger_->open(false)) {}

IbgdaRecvComm::~IbgdaRecvComm() {
  if (!failed_) link_->close(offsetof(Desk, closed));
}

MemoryRegion* IbgdaRecvComm::register_memory(void* data, std::size_t bytes, MemoryKind kind) {
  if (kind != MemoryKind::kHost)
    throw Error(ErrorCode::kInvalidArgument, "the ibgda transport of the cpu engine moves host memory");
  if (bytes == 0) return nullptr;
  return regions_.emplace_back(link_->device().register_memory(data, bytes)).get();
}

void IbgdaRecvComm::deregister_memory(MemoryRegion* region) {
  std::erase_if(regions_, [region](const auto& one) { return one.get() == region; });
}

Request* IbgdaRecvComm::irecv(std::span<const ReceiveBuffer> buffers) {
  if (buffers.size() != 1)
    throw Error(ErrorCode::kInvalidArgument,
                "the ibgda transport receives 1 buffer per irecv, got " + std::to_string(buffers.size()));
  Receive& receive = receives_[next_ % kMaxRequests];
  if (receive.in_use) return nullptr;
  receive.data = static_cast<std::byte*>(buffers[0].data);
  receive.bytes = buffers[0].bytes;
  receive.region = static_cast<const Registration*>(buffers[0].region);
  receive.received = 0;
  receive.in_use = true;
  receive.done = false;
  ++next_;
  progress();
  return &receive;
}

bool IbgdaRecvComm::test(Request* request, std::size_t* received_bytes) {
  auto& receive = *static_cast<Receive*>(request);
  if (!receive.done) {
    progress();
    if (!receive.done) {
      if (read_flag(link_->memory<Inbox>().closed) != 0 && !take())
        throw Error(ErrorCode::kConnectionLost, "ibgda: the sender has closed the connection");
      link_->look_for_peer();
    }
    if (!receive.done) return false;
  }
  if (received_bytes != nullptr) *received_bytes = receive.received;
  receive.own.reset();
  receive.in_use = false;
  return true;
}

Request* IbgdaRecvComm::iflush(std::span<const ReceiveBuffer> /*buffers*/) { return nullptr; }

void IbgdaRecvComm::progress() try {
  Initiator& initiator = link_->initiator();
  initiator.poll();
  while (posted_ != next_ && post(receives_[posted_ % kMaxRequests], posted_)) ++posted_;
  while (take()) {
  }
  if (taken_ - credited_ >= kCredits && initiator.has_room(1)) {
    link_->put_word(offsetof(Desk, consumed), taken_, true);
    credited_ = taken_;
  }
  initiator.ring();
} catch (...) {
  failed_ = true;
  throw;
}

/// Says where the message goes, unless any that fits comes through the inbox. @returns false: no room now
bool IbgdaRecvComm::post(Receive& receive, std::uint64_t number) {
  if (receive.bytes <= kInlineBytes) return true;
  Initiator& initiator = link_->initiator();
  constexpr std::size_t kFields = offsetof(Post, sequence);
  if (!initiator.has_room(initiator.blocks_of_inline(kFields) + 1)) return false;
  if (receive.region == nullptr || !receive.region->covers(receive.data, receive.bytes)) {
    receive.own = link_->device().register_memory(receive.data, receive.bytes);
    receive.region = receive.own.get();
  }
  const Post post{reinterpret_cast<std::uintptr_t>(receive.data), receive.bytes, receive.region->remote_key(),
                  number + 1};
  const std::size_t at = offsetof(Desk, posts) + number % kMaxRequests * sizeof(Post);
  initiator.write_inline(link_->there(at), link_->their_key(), &post, kFields, false);
  link_->put_word(at + kFields, post.sequence, true);
  return true;
}

/// The next message, if it has come and somebody wants it.
bool IbgdaRecvComm::take() {
  if (taken_ == next_) return false;
  const Inbox& inbox = link_->memory<Inbox>();
  const std::size_t slot = taken_ % kMaxRequests;
  const std::uint64_t flag = read_flag(inbox.slots[slot].flag);
  if (!is_flag_of(flag, taken_)) return false;
  const std::uint64_t bytes = flag >> 24;
  Receive& receive = receives_[slot];
  if (bytes > receive.bytes)
    throw Error(ErrorCode::kProtocol, "a message of " + std::to_string(bytes) +
                                          " bytes arrived for a receive of " + std::to_string(receive.bytes));
  if (bytes > 0 && bytes <= kInlineBytes) std::memcpy(receive.data, inbox.payloads[slot].data(), bytes);
  receive.received = bytes;
  receive.done = true;
  tally_->add(bytes);
  ++taken_;
  return true;
}

}  // namespace collbench::ibgda
