// The target's side: carries out the requests in frames.
#include <algorithm>
#include <cstring>

#include "core/clock.h"
#include "core/process_memory.h"
#include "emulated/softmlx5/nic/atomics.h"
#include "emulated/softmlx5/nic/endian.h"
#include "emulated/softmlx5/nic/inside.h"

namespace collbench::softmlx5 {
namespace {

using namespace mlx5;

constexpr int kFramesPerLook = 64;
// slice of a long copy, so that other requests make progress in between
constexpr std::uint64_t kSlice = 256 * 1024;
constexpr std::uint64_t kMinReadPull = 32 * 1024;
// Adapters wait 0.65 ms by default between two tries if a receiver was not ready (IBTA, table of RNR timers).
constexpr std::int64_t kReceiverNotReadyNs = 655'360;

bool needs_receive(const FrameHeader& header) noexcept {
  const bool is_send = header.opcode == kSend || header.opcode == kSendImmediate;
  return header.kind == FrameKind::kData && is_send
             ? (header.flags & kFirst) != 0
             : header.opcode == kWriteImmediate && (header.flags & kLast) != 0;
}

bool accepts(const QueuePair& pair, const FrameHeader& header) noexcept {
  const bool is_ready =
      pair.facts.state == QueueState::kReadyToReceive || pair.facts.state == QueueState::kReadyToSend;
  if (pair.setup.kind == QueueKind::kDcTarget)
    return is_ready && static_cast<std::uint32_t>(pair.setup.access_key) == header.access_key;
  return is_ready && pair.setup.kind == QueueKind::kReliable && pair.facts.remote_lid == header.lid &&
         pair.facts.remote_queue == header.source_queue;
}

}  // namespace

void Card::Inside::answer(CardConnection& channel, const FrameHeader& to, FrameKind kind,
                          std::uint8_t syndrome, const std::byte* payload, std::size_t bytes, bool is_last) {
  FrameHeader header;
  header.kind = kind;
  header.syndrome = syndrome;
  header.source_queue = to.source_queue;
  header.flags = is_last ? kLast : 0;
  header.bytes = static_cast<std::uint32_t>(bytes);
  header.total = to.total;
  header.source_address = kind == FrameKind::kReadPull ? reinterpret_cast<std::uintptr_t>(payload) : 0;
  if (kind == FrameKind::kReadPull) header.bytes = 0;
  if (header.bytes > 0) copy_in(channel.out.payload(bytes), 0, payload, bytes);
  if (model.paced()) {
    const std::uint64_t carried = header.carried_bytes();
    const std::int64_t now = now_ns();
    const std::int64_t left = carried > 0 ? outgoing.reserve(now, model.wire_ns(carried)).end_ns : now;
    header.visible_ns = left + static_cast<std::int64_t>(model.latency_ns);
  }
  channel.out.put(header);
  channel.wake();
  ++port.packets_sent;
}

bool Card::Inside::has_arrived(CardConnection& channel, const FrameHeader& header) noexcept {
  if (header.visible_ns == 0) return true;
  const std::int64_t now = now_ns();
  if (channel.arrives_ns == 0) {
    const std::uint64_t carried = header.carried_bytes();
    const std::int64_t wire_ns = carried > 0 ? model.wire_ns(carried) : 0;
    const auto latency_ns = static_cast<std::int64_t>(model.latency_ns);
    const std::int64_t begin_ns = header.visible_ns - latency_ns - wire_ns;
    // A frame that still waits at its sender must not keep the port from frames of other cards.
    if (now < begin_ns) return false;
    channel.arrives_ns = header.visible_ns;
    if (carried > 0) channel.arrives_ns = incoming.reserve(begin_ns, wire_ns).end_ns + latency_ns;
  }
  return channel.arrives_ns <= now;
}

bool Card::Inside::take_requests(CardConnection& channel) {
  bool moved = false;
  FrameHeader header;
  for (int n = 0; n < kFramesPerLook && channel.in.front(&header); ++n) {
    if (!has_arrived(channel, header)) break;
    if (!channel.out.has_room(sizeof(std::uint64_t))) break;
    header.lid = channel.lid;
    const std::uint64_t before = channel.moved;
    const bool is_done = handle(channel, header);
    moved = moved || is_done || channel.moved != before;
    if (!is_done) break;
    // Other connections take their turn, so that none has the port alone while the card catches up.
    const bool took_turn = channel.arrives_ns != 0 && header.carried_bytes() > 0;
    ++port.packets_received;
    channel.moved = 0;
    channel.arrives_ns = 0;
    channel.in.pop(header);
    if (took_turn) break;
  }
  if (channel.in.broken()) channel.is_lost = true;
  return moved;
}

/// Handles one message (frame) of an initiator's request, as target.
/// @returns true when the frame can be removed from the ring; false if it must be handled again at the next
/// step
bool Card::Inside::handle(CardConnection& channel, const FrameHeader& header) {
  if (header.kind == FrameKind::kForget) {
    silenced.erase(header.source());
    return true;
  }
  if (silenced.contains(header.source())) return true;
  QueuePair* pair = find(header.target_queue);
  if (pair == nullptr || !accepts(*pair, header)) {
    refuse(channel, header, kTransportRetries);
    return true;
  }
  if (!pair->parked.empty() || (needs_receive(header) && !take_receive(*pair, header))) {
    ParkedRequest parked;
    parked.header = header;
    parked.payload.resize(header.bytes);
    if (header.bytes > 0) copy_out(channel.in.payload_of(header), 0, parked.payload.data(), header.bytes);
    if (header.receiver_retries < 7)
      parked.deadline_ns = now_ns() + (header.receiver_retries + 1) * kReceiverNotReadyNs;
    pair->parked.push_back(std::move(parked));
    return true;
  }
  const bool is_done = serve(*pair, channel, header, channel.in.payload_of(header), &channel.moved);
  if (pair->facts.state == QueueState::kError) flush(*pair);
  return is_done;
}

bool Card::Inside::take_parked(QueuePair& pair) {
  bool moved = false;
  while (!pair.parked.empty()) {
    ParkedRequest& first = pair.parked.front();
    const auto channel = std::ranges::find_if(fabric.incoming(), [&first](const auto& one) {
      return one->lid == first.header.lid && !one->is_lost;
    });
    const bool is_wanted = channel != fabric.incoming().end() && !silenced.contains(first.header.source());
    if (is_wanted) {
      if (!(*channel)->out.has_room(sizeof(std::uint64_t))) break;
      if (needs_receive(first.header) && !take_receive(pair, first.header)) {
        if (first.deadline_ns == 0 || now_ns() < first.deadline_ns) break;
        refuse(**channel, first.header, kReceiverNotReadyRetries);
      } else {
        const Parts payload{std::span(first.payload), std::span<std::byte>()};
        if (!serve(pair, **channel, first.header, payload, &first.moved)) break;
        if (pair.facts.state == QueueState::kError) {
          flush(pair);  // also drops parked requests
          return true;
        }
      }
    }
    pair.parked.pop_front();
    moved = true;
  }
  return moved;
}

void Card::Inside::refuse(CardConnection& channel, const FrameHeader& header, std::uint8_t syndrome) {
  silenced.insert(header.source());
  answer(channel, header, FrameKind::kDone, syndrome);
}

/// Assigns the oldest posted receive to the message, unless the message has one. False if none is posted.
bool Card::Inside::take_receive(QueuePair& pair, const FrameHeader& header) {
  if (pair.receiving.contains(header.source())) return true;
  const auto queue = receive_queues.find(pair.setup.receives != 0 ? pair.setup.receives : pair.number);
  if (queue == receive_queues.end() || queue->second.posted.empty()) return false;
  pair.receiving[header.source()].receive = std::move(queue->second.posted.front());
  queue->second.posted.pop_front();
  return true;
}

/// Performs one frame of an initiator's request (WRITE, READ, SEND, atomic) or one step of it. Answers after
/// the last frame, and refuses invalid requests.
/// @param moved number of bytes copied in earlier steps; updated
/// @returns true when the frame is done; false if it continues at the next step
bool Card::Inside::serve(QueuePair& pair, CardConnection& channel, const FrameHeader& header,
                         const Parts& payload, std::uint64_t* moved) {
  if (header.kind == FrameKind::kRead) return serve_read(pair, channel, header, moved);
  std::uint8_t wrong = 0;
  std::uint64_t before = 0;
  const bool is_send = header.opcode == kSend || header.opcode == kSendImmediate;
  if (header.kind == FrameKind::kAtomic) {
    wrong = swap(pair, header, payload, &before);
  } else if (header.kind == FrameKind::kPull) {
    wrong = pull(pair, channel, header, moved);
    if (wrong == 0 && *moved < header.total) return false;
  } else if (header.kind == FrameKind::kData) {
    wrong = is_send ? receive(pair, header, payload) : write(pair, header, payload);
  } else {
    wrong = kRemoteInvalidRequest;
  }
  if (wrong != 0) {
    if (is_send) end_receive(pair, header, wrong == kRemoteInvalidRequest ? kLocalLength : kLocalProtection);
    refuse(channel, header, wrong);
    return true;
  }
  if ((header.flags & kLast) == 0) return true;
  if (header.kind == FrameKind::kAtomic) {
    const std::size_t bytes = header.opmod == kMasked4Bytes ? 4 : 8;
    answer(channel, header, FrameKind::kAtomicResult, 0, reinterpret_cast<const std::byte*>(&before), bytes);
    return true;
  }
  if (is_send || header.opcode == kWriteImmediate) put_received(pair, header, header.total);
  answer(channel, header, FrameKind::kDone, 0);
  return true;
}

/// Completes a receive with an error, because the message does not fit or its memory is not registered. A
/// reliable queue also enters state Error, and the caller flushes it (IBTA 9.9.3, responder class C).
void Card::Inside::end_receive(QueuePair& pair, const FrameHeader& header, std::uint8_t syndrome) {
  const auto found = pair.receiving.find(header.source());
  if (found == pair.receiving.end()) return;
  ++pair.counters.errors;
  put_completion(pair.setup.receive_completions, {kEntryReceiveError, syndrome, header.opcode, pair.number,
                                                  found->second.receive.counter, 0, 0});
  pair.receiving.erase(found);
  if (pair.setup.kind == QueueKind::kReliable) pair.facts.state = QueueState::kError;
}

std::uint8_t Card::Inside::write(QueuePair& pair, const FrameHeader& header, const Parts& payload) {
  if (header.bytes == 0) return 0;  // no byte is accessed, so no key is checked (IBTA 9.7.4.1.5)
  const ResolvedAddress found =
      memory.find(header.key, header.address, header.bytes, kRemoteWrite, pair.setup.domain);
  if (found.at == nullptr || (pair.facts.access & kRemoteWrite) == 0) return kRemoteAccess;
  std::byte* to = found.at;
  for (const std::span<std::byte>& part : payload) {
    if (part.empty()) continue;
    if (!copy_bytes(to, part.data(), part.size(), found.on_gpu)) return kRemoteOperation;
    to += part.size();
  }
  if ((header.flags & kFlip) != 0) flip_bit(found.at + header.bytes / 2, found.on_gpu);
  pair.counters.bytes_received += header.bytes;
  port.bytes_received += header.bytes;
  return 0;
}

std::uint8_t Card::Inside::pull(QueuePair& pair, CardConnection& channel, const FrameHeader& header,
                                std::uint64_t* moved) {
  const ResolvedAddress found =
      memory.find(header.key, header.address, header.total, kRemoteWrite, pair.setup.domain);
  if (found.at == nullptr || (pair.facts.access & kRemoteWrite) == 0) return kRemoteAccess;
  const std::uint64_t bytes = std::min(kSlice, header.total - *moved);
  std::byte* to = found.at + *moved;
  const std::uint64_t from = header.source_address + *moved;
  // The request may have waited for a receive, and its memory may have been deregistered.
  if (channel.is_self && !memory.holds(reinterpret_cast<const std::byte*>(from), bytes))
    return kLocalProtection;
  if (!fetch(channel, from, {to, found.on_gpu}, bytes)) return kRemoteOperation;
  *moved += bytes;
  if (*moved == header.total && (header.flags & kFlip) != 0)
    flip_bit(found.at + header.total / 2, found.on_gpu);
  pair.counters.bytes_received += bytes;
  port.bytes_received += bytes;
  return 0;
}

std::uint8_t Card::Inside::receive(QueuePair& pair, const FrameHeader& header, const Parts& payload) {
  IncomingMessage& receiving = pair.receiving[header.source()];
  std::uint64_t offset = receiving.received;
  std::size_t done = 0;
  std::vector<std::byte> copy(header.bytes);
  if (header.bytes > 0) copy_out(payload, 0, copy.data(), copy.size());
  if ((header.flags & kFlip) != 0 && !copy.empty()) flip_bit(copy.data() + copy.size() / 2, false);
  for (const Scatter& piece : receiving.receive.pieces) {
    if (done == copy.size()) break;
    if (offset >= piece.bytes) {
      offset -= piece.bytes;
      continue;
    }
    const std::size_t now = std::min<std::size_t>(piece.bytes - offset, copy.size() - done);
    const ResolvedAddress found =
        memory.find(piece.key, piece.address + offset, now, kLocalWrite, pair.setup.domain);
    if (found.at == nullptr) return kRemoteOperation;
    if (!copy_bytes(found.at, copy.data() + done, now, found.on_gpu)) return kRemoteOperation;
    done += now;
    offset = 0;
  }
  if (done < copy.size()) return kRemoteInvalidRequest;  // the receive is shorter than the message
  receiving.received += done;
  pair.counters.bytes_received += done;
  port.bytes_received += done;
  return 0;
}

std::uint8_t Card::Inside::swap(QueuePair& pair, const FrameHeader& header, const Parts& payload,
                                std::uint64_t* before) {
  AtomicOperation operation;
  operation.opcode = header.opcode;
  operation.opmod = header.opmod;
  copy_out(payload, 0, reinterpret_cast<std::byte*>(operation.operands.data()),
           std::min<std::size_t>(header.bytes, sizeof operation.operands));
  const std::size_t bytes = operation.bytes();
  if (header.address % bytes != 0) return kRemoteInvalidRequest;
  const ResolvedAddress found =
      memory.find(header.key, header.address, bytes, kRemoteAtomic, pair.setup.domain);
  if (found.at == nullptr || (pair.facts.access & kRemoteAtomic) == 0) return kRemoteAccess;
  return carry_out_atomic(operation, found.at, found.on_gpu, before) ? 0 : kRemoteOperation;
}

bool Card::Inside::serve_read(QueuePair& pair, CardConnection& channel, const FrameHeader& header,
                              std::uint64_t* moved) {
  const ResolvedAddress found =
      memory.find(header.key, header.address, header.total, kRemoteRead, pair.setup.domain);
  const bool is_allowed = found.at != nullptr && (pair.facts.access & kRemoteRead) != 0;
  if (header.total > 0 && !is_allowed) {
    refuse(channel, header, kRemoteAccess);
    return true;
  }
  const bool can_pull = channel.is_self || channel.shared->can_pull.load(std::memory_order_relaxed) == 1;
  // Decided before the first frame only: whether the peer can copy may become known between two frames.
  if (header.total == 0 || (*moved == 0 && header.total >= kMinReadPull && can_pull && !found.on_gpu)) {
    answer(channel, header, header.total == 0 ? FrameKind::kDone : FrameKind::kReadPull, 0, found.at);
  } else {
    while (*moved < header.total) {
      const std::size_t bytes = std::min<std::size_t>(FrameRing::kMaxPayload, header.total - *moved);
      if (!channel.out.has_room(bytes)) return false;
      const std::byte* from = found.at + *moved;
      if (found.on_gpu) {
        staging.resize(std::max<std::size_t>(staging.size(), kSlice));
        if (!copy_gpu(staging.data(), from, bytes)) {
          refuse(channel, header, kRemoteOperation);
          return true;
        }
        from = staging.data();
      }
      *moved += bytes;
      answer(channel, header, FrameKind::kReadData, 0, from, bytes, *moved == header.total);
    }
  }
  pair.counters.bytes_sent += header.total;
  port.bytes_sent += header.total;
  return true;
}

}  // namespace collbench::softmlx5
