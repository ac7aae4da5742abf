#include "transports/ibgda/send_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace collbench::ibgda {

IbgdaSendComm::IbgdaSendComm(std::unique_ptr<Link> link, std::shared_ptr<Ledger> ledger)
    : link_(std::move(link)),
      staging_(link_->device(), kMaxRequests * kInlineBytes),
      ledger_(std::move(ledger)),
      tally_(ledger_->open(true)) {}

IbgdaSendComm::~IbgdaSendComm() {
  if (!failed_) link_->close(offsetof(Inbox, closed));
}

MemoryRegion* IbgdaSendComm::register_memory(void* data, std::size_t bytes, MemoryKind kind) {
  if (kind != MemoryKind::kHost)
    throw Error(ErrorCode::kInvalidArgument, "the ibgda transport of the cpu engine moves host memory");
  if (bytes == 0) return nullptr;
  return regions_.emplace_back(link_->device().register_memory(data, bytes)).get();
}

void IbgdaSendComm::deregister_memory(MemoryRegion* region) {
  std::erase_if(regions_, [region](const auto& one) { return one.get() == region; });
}

Request* IbgdaSendComm::isend(const void* data, std::size_t bytes, int /*tag*/, MemoryRegion* region) {
  Message& message = messages_[next_ % kMaxRequests];
  if (message.in_use) return nullptr;
  message.data = static_cast<const std::byte*>(data);
  message.bytes = bytes;
  message.region = static_cast<const Registration*>(region);
  message.sent = 0;
  message.in_use = true;
  message.started = false;
  ++next_;
  progress();
  return &message;
}

bool IbgdaSendComm::test(Request* request) {
  auto& message = *static_cast<Message*>(request);
  if (!message.started || !link_->initiator().has_completed(message.end)) {
    progress();
    const bool is_short = message.bytes <= kInlineBytes;  // its bytes have been copied
    if (!message.started || (!is_short && !link_->initiator().has_completed(message.end))) {
      if (!message.started && read_flag(link_->memory<Desk>().closed) != 0)
        throw Error(ErrorCode::kConnectionLost, "ibgda: the receiver has closed the connection");
      link_->look_for_peer();
      return false;
    }
  }
  message.own.reset();
  message.in_use = false;
  return true;
}

void IbgdaSendComm::progress() try {
  link_->initiator().poll();
  while (started_ != next_) {
    Message& message = messages_[started_ % kMaxRequests];
    if (!start(message, started_)) break;
    message.started = true;
    tally_->add(message.bytes);
    ++started_;
  }
  link_->initiator().ring();
} catch (...) {
  failed_ = true;
  throw;
}

/// All entries of a message, or those that there is room for. @returns whether it is wholly in the ring
bool IbgdaSendComm::start(Message& message, std::uint64_t number) {
  const bool has_slot = number - read_flag(link_->memory<Desk>().consumed) < kMaxRequests;
  if (!has_slot) return false;
  return message.bytes <= kInlineBytes ? start_short(message, number) : start_long(message, number);
}

bool IbgdaSendComm::start_short(Message& message, std::uint64_t number) {
  Initiator& initiator = link_->initiator();
  const std::size_t slot = number % kMaxRequests;
  const bool stands_in_entry = message.bytes <= initiator.most_inline();
  const std::uint32_t blocks = stands_in_entry ? initiator.blocks_of_inline(message.bytes) : 1;
  if (!initiator.has_room(blocks + 1)) return false;
  const std::uint64_t to = link_->there(offsetof(Inbox, payloads) + slot * kInlineBytes);
  if (stands_in_entry) {
    if (message.bytes > 0) initiator.write_inline(to, link_->their_key(), message.data, message.bytes, false);
  } else {
    if (!initiator.has_completed(staged_[slot])) return false;
    std::byte* staged = staging_.data() + slot * kInlineBytes;
    std::memcpy(staged, message.data, message.bytes);
    initiator.write(to, link_->their_key(), staged, staging_.registration().local_key(), message.bytes,
                    false);
  }
  announce(message, number, true);
  if (!stands_in_entry) staged_[slot] = message.end;
  return true;
}

bool IbgdaSendComm::start_long(Message& message, std::uint64_t number) {
  const Post& post = link_->memory<Desk>().posts[number % kMaxRequests];
  if (read_flag(post.sequence) != number + 1) return false;
  if (post.bytes < message.bytes)
    throw Error(ErrorCode::kProtocol, "a message of " + std::to_string(message.bytes) +
                                          " bytes meets a receive of " + std::to_string(post.bytes));
  if (message.region == nullptr || !message.region->covers(message.data, message.bytes)) {
    if (message.own == nullptr)
      message.own = link_->device().register_memory(const_cast<std::byte*>(message.data), message.bytes);
    message.region = message.own.get();
  }
  Initiator& initiator = link_->initiator();
  while (message.sent < message.bytes) {
    if (!initiator.has_room(1)) return false;
    const std::size_t bytes = std::min(Initiator::kMostBytes, message.bytes - message.sent);
    // Each asks for its completion: the ring is as long as what is under way.
    initiator.write(post.address + message.sent, static_cast<std::uint32_t>(post.key),
                    message.data + message.sent, message.region->local_key(), bytes, true);
    message.sent += bytes;
  }
  if (!initiator.has_room(1)) return false;
  announce(message, number, true);
  return true;
}

void IbgdaSendComm::announce(Message& message, std::uint64_t number, bool completes) {
  const std::size_t at = offsetof(Inbox, slots) + number % kMaxRequests * sizeof(Inbox::Slot);
  message.end = link_->put_word(at, flag_of(number, message.bytes), completes);
}

}  // namespace collbench::ibgda
