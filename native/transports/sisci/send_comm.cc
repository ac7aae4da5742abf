#include "transports/sisci/send_comm.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace collbench::sisci {

SisciSendComm::SisciSendComm(std::shared_ptr<Fabric> fabric, std::unique_ptr<LocalSegment> desk,
                             std::unique_ptr<RemoteSegment> inbox, unsigned int peer_node, Path path)
    : fabric_(std::move(fabric)),
      desk_segment_(std::move(desk)),
      inbox_segment_(std::move(inbox)),
      desk_(reinterpret_cast<Desk*>(desk_segment_->data())),
      inbox_(reinterpret_cast<Inbox*>(inbox_segment_->data())),
      path_(path),
      regions_(fabric_->adapter),
      remote_regions_(fabric_->adapter, peer_node),
      tally_(fabric_->new_tally(true)) {
  for (auto& engine : engines_) engine.queue = std::make_unique<DmaQueue>(fabric_->adapter);
  fabric_->note_path(path);
}

SisciSendComm::~SisciSendComm() {
  for (auto& engine : engines_) engine.queue.reset();
  announce(*inbox_segment_, inbox_->control.closed, 1);
}

MemoryRegion* SisciSendComm::register_memory(void* data, std::size_t bytes, MemoryKind kind) {
  return regions_.add(data, bytes, kind, path_);
}

void SisciSendComm::deregister_memory(MemoryRegion* region) { regions_.remove(region); }

bool SisciSendComm::slot_free() {
  if (slots_written_ - slots_consumed_ < kSlots) return true;
  slots_consumed_ = load_flag(desk_->slots_consumed);
  return slots_written_ - slots_consumed_ < kSlots;
}

bool SisciSendComm::staging_free() {
  if (staging_started_ - staging_consumed_ < kStagingSlots) return true;
  staging_consumed_ = load_flag(desk_->staging_consumed);
  return staging_started_ - staging_consumed_ < kStagingSlots;
}

void SisciSendComm::write_slot(SlotKind kind, const std::byte* payload, std::size_t payload_bytes,
                               std::size_t bytes, std::size_t total) {
  Slot& slot = inbox_->slots[slots_written_ % kSlots];
  slot.kind = kind;
  slot.bytes = static_cast<std::uint32_t>(bytes);
  slot.total = total;
  if (payload_bytes == sizeof(std::uint64_t))
    std::memcpy(slot.payload, payload, sizeof(std::uint64_t));
  else if (payload_bytes != 0)
    std::memcpy(slot.payload, payload, payload_bytes);
  cells_.pass(inbox_->cells, slots_written_ + 1);
  inbox_segment_->store_barrier();
  store_flag(slot.sequence, ++slots_written_);
  inbox_segment_->flush();
}

/// One that fits a slot.
void SisciSendComm::write_message(const std::byte* data, std::size_t bytes) {
  if (!carries_flags_ || !may_carry_flags(bytes, 0))
    return write_slot(SlotKind::kInline, data, bytes, bytes, bytes);
  cells_.write(inbox_->cells, ++slots_written_, data, bytes, 0);
  inbox_segment_->flush();  // for speed alone
  tally_.add_flagged();
}

Request* SisciSendComm::isend(const void* data, std::size_t bytes, int /*tag*/, MemoryRegion* region) {
  const auto* from = static_cast<const std::byte*>(data);
  if (bytes <= kInlineBytes && announced_ == next_ && slot_free()) {
    write_message(from, bytes);
    announced_ = started_ = ++next_;
    tally_.add(bytes);
    return &immediate_;
  }
  Message& message = messages_[next_ % kMaxRequests];
  if (message.in_use) {
    progress();
    return nullptr;
  }
  const auto* known = static_cast<const Region*>(region);
  message = Message{};
  message.data = from;
  message.bytes = bytes;
  message.region = known != nullptr && known->covers(data, bytes) ? known : nullptr;
  message.in_use = true;
  ++next_;
  tally_.add(bytes);
  progress();
  return &message;
}

bool SisciSendComm::test(Request* request) {
  if (request == &immediate_) return true;
  auto& message = *static_cast<Message*>(request);
  if (!message.done) progress();
  if (!message.done) {
    if (!watch_.due()) return false;
    try {
      look_for_peer();
    } catch (...) {
      give_up();
      throw;
    }
    return false;
  }
  message.in_use = false;
  return true;
}

void SisciSendComm::progress() {
  if (failed_) throw Error(ErrorCode::kConnectionLost, "the connection has failed before");
  try {
    reap();
    start();
    announce_head();
  } catch (...) {
    give_up();
    throw;
  }
}

/// Callers free their buffers on the way out of an error, so none is read after it.
void SisciSendComm::give_up() noexcept {
  failed_ = true;
  for (auto& engine : engines_) engine.queue->abort();
  fabric_->worker_pool->drain();
}

void SisciSendComm::reap() {
  for (auto& engine : engines_) {
    if (engine.message == nullptr || !engine.queue->finished()) continue;
    engine.message->landed += engine.bytes;
    if (engine.fragment != kNoSegment) staging_landed_[engine.fragment % kStagingSlots] = true;
    engine.message = nullptr;
  }
}

void SisciSendComm::start() {
  for (; started_ != next_; ++started_) {
    Message& message = messages_[started_ % kMaxRequests];
    if (message.way == Way::kUndecided && !decide(message, started_)) return;
    if (message.way == Way::kPlaced && !start_placed(message)) return;
    if (message.way == Way::kStaged && !start_staged(message)) return;
  }
}

/// Which way a message goes; false while the receiver has not said where it wants it.
bool SisciSendComm::decide(Message& message, std::uint64_t number) {
  if (message.bytes <= kInlineBytes) {
    message.way = Way::kInline;
    return true;
  }
  if (path_ == Path::kUserMemory) {
    message.way = Way::kStaged;
    return true;
  }
  const Post& post = desk_->posts[number % kMaxRequests];
  if (load_flag(post.sequence) != number + 1) return false;
  message.post = post;
  if (message.bytes > message.post.bytes)
    throw Error(ErrorCode::kProtocol, "a message of " + std::to_string(message.bytes) +
                                          " bytes was sent to a receive of " +
                                          std::to_string(message.post.bytes));
  message.way = message.post.segment_id == kNoSegment ? Way::kStaged : Way::kPlaced;
  return true;
}

SisciSendComm::Engine* SisciSendComm::idle_engine() {
  for (auto& engine : engines_)
    if (engine.message == nullptr) return &engine;
  return nullptr;
}

/// True when every byte of the message is with an engine.
bool SisciSendComm::start_placed(Message& message) {
  if (message.target == nullptr) message.target = remote_regions_.find(message.post);
  if (message.target == nullptr) return false;
  while (message.started < message.bytes) {
    Engine* engine = idle_engine();
    if (engine == nullptr) return false;
    const std::size_t piece = std::min(kDmaPieceBytes, message.bytes - message.started);
    const std::byte* from = message.data + message.started;
    const std::size_t to = message.post.offset + message.started;
    const bool taken = message.region != nullptr
                           ? engine->queue->start(message.region->segment,
                                                  static_cast<std::size_t>(from - message.region->base),
                                                  *message.target, to, piece)
                           : engine->queue->start_from_user(from, *message.target, to, piece);
    if (!taken) return false;
    engine->message = &message;
    engine->bytes = piece;
    engine->fragment = kNoSegment;
    message.started += piece;
    if (!engine->queue->finished()) continue;
    engine->message = nullptr;
    message.landed += piece;
  }
  return true;
}

bool SisciSendComm::start_staged(Message& message) {
  while (message.started < message.bytes) {
    if (!staging_free()) return false;
    const std::uint64_t fragment = staging_started_;
    const std::size_t piece = std::min(kStagingBytes, message.bytes - message.started);
    const std::byte* from = message.data + message.started;
    const std::uint64_t cell = fragment % kStagingSlots;
    if (piece <= kPioFragmentBytes) {
      std::memcpy(inbox_->staging[cell], from, piece);
      message.landed += piece;
      staging_landed_[cell] = true;
    } else {
      Engine* engine = idle_engine();
      if (engine == nullptr) return false;
      if (!engine->queue->start_from_user(from, *inbox_segment_,
                                          offsetof(Inbox, staging) + cell * kStagingBytes, piece))
        return false;
      const bool over = engine->queue->finished();
      staging_landed_[cell] = over;
      if (over) {
        message.landed += piece;
      } else {
        engine->message = &message;
        engine->bytes = piece;
        engine->fragment = fragment;
      }
    }
    ++staging_started_;
    message.started += piece;
    if (announced_ == started_) announce_fragments(message);
  }
  return true;
}

/// Tells the receiver about fragments of the oldest message as they land; true when all of it is told.
bool SisciSendComm::announce_fragments(Message& message) {
  while (message.announced != message.bytes) {
    const std::uint64_t cell = staging_announced_ % kStagingSlots;
    if (staging_announced_ == staging_started_ || !staging_landed_[cell] || !slot_free()) return false;
    const std::size_t piece = std::min(kStagingBytes, message.bytes - message.announced);
    write_slot(SlotKind::kStaged, nullptr, 0, piece, message.bytes);
    staging_landed_[cell] = false;
    ++staging_announced_;
    message.announced += piece;
  }
  return true;
}

/// Tells the receiver about what has landed, strictly in message order.
void SisciSendComm::announce_head() {
  while (announced_ != next_) {
    Message& message = messages_[announced_ % kMaxRequests];
    if (message.way == Way::kUndecided && message.bytes <= kInlineBytes) message.way = Way::kInline;
    switch (message.way) {
      case Way::kUndecided:
        return;
      case Way::kInline:
        if (!slot_free()) return;
        write_message(message.data, message.bytes);
        break;
      case Way::kPlaced:
        if (message.landed != message.bytes || !slot_free()) return;
        write_slot(SlotKind::kPlaced, nullptr, 0, 0, message.bytes);
        break;
      case Way::kStaged:
        if (!announce_fragments(message)) return;
        break;
    }
    message.done = true;
    ++announced_;
    started_ = std::max(started_, announced_);
  }
}

void SisciSendComm::look_for_peer() {
  if (load_flag(desk_->control.closed.flag) != 0)
    throw Error(ErrorCode::kConnectionLost,
                "the receiver closed the connection while messages were on their way");
  inbox_segment_->check_alive();
  // A receive too small for any rendezvous is never posted; telling the size lets the receiver notice.
  if (announced_ == next_) return;
  Message& message = messages_[announced_ % kMaxRequests];
  if (message.way != Way::kUndecided || message.asked || !slot_free()) return;
  write_slot(SlotKind::kWaiting, nullptr, 0, 0, message.bytes);
  message.asked = true;
}

}  // namespace collbench::sisci
