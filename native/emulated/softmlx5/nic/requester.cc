// The initiator's side: turns doorbells and work queue entries into frames.
#include <algorithm>

#include "core/clock.h"
#include "emulated/softmlx5/nic/endian.h"
#include "emulated/softmlx5/nic/inside.h"

namespace collbench::softmlx5 {
namespace {

using namespace mlx5;

// Least bytes for a kernel copy from the other process; shorter data costs less through the ring.
constexpr std::uint64_t kMinPull = 32 * 1024;
constexpr int kEntriesPerLook = 64;
// Fault bit-flip spares short messages, so that flags and addresses stay correct and only user data is
// damaged.
constexpr std::uint64_t kMaxSparedBytes = 32;
constexpr std::size_t kMaxPending = 4096;

bool is_atomic(std::uint8_t opcode) noexcept {
  return opcode == kCompareSwap || opcode == kFetchAdd || opcode == kMaskedCompareSwap ||
         opcode == kMaskedFetchAdd;
}

}  // namespace

bool copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes, bool touches_gpu) noexcept {
  if (touches_gpu) return copy_gpu(to, from, bytes);
  // A receiver may poll the last word, so it is stored as a whole, after all earlier bytes.
  const auto store = [&]<typename Word>(Word word) {
    const std::size_t first = bytes - sizeof word;
    std::memcpy(&word, from + first, sizeof word);
    if (first > 0) std::memmove(to, from, first);  // memmove, because a client may copy within one range
    shared_word<Word>(to + first).store(word, std::memory_order_release);
  };
  const auto end = reinterpret_cast<std::uintptr_t>(to) + bytes;
  if (bytes >= 8 && end % 8 == 0) {
    store(std::uint64_t{});
  } else if (bytes >= 4 && end % 4 == 0) {
    store(std::uint32_t{});
  } else {
    std::memmove(to, from, bytes);
  }
  return true;
}

bool Card::Inside::read_doorbell(QueuePair& pair) noexcept {
  if (pair.owns_uar) {
    // Only the register rings a real adapter, so a client that forgets it must not work here either.
    bool rang = false;
    for (const std::uint32_t offset : {kDoorbellRegister, kDoorbellRegisterOther}) {
      const auto bell = shared_word<std::uint64_t>(pair.setup.uar + offset);
      rang =
          (bell.load(std::memory_order_relaxed) != 0 && bell.exchange(0, std::memory_order_acquire) != 0) ||
          rang;
    }
    if (!rang) return false;
  }
  const std::uint32_t record =
      big32(shared_word<std::uint32_t>(pair.setup.doorbell + kDoorbellSend).load(std::memory_order_acquire)) &
      0xFFFF;
  const std::uint32_t fresh = (record - pair.producer) & 0xFFFF;
  if (fresh == 0 || pair.lost_doorbell == static_cast<std::int32_t>(record)) return false;
  pair.lost_doorbell = -1;
  if (faults->lost_doorbell.strike()) {
    pair.lost_doorbell = static_cast<std::int32_t>(record);
    return false;
  }
  fetch_entries(pair, fresh);
  ++pair.counters.doorbells;
  pair.producer += fresh;
  return true;
}

/// Copies the newly announced blocks of a send ring in GPU memory to host memory; does nothing for other
/// rings. All blocks are copied at once, because each copy costs some microseconds. If the driver refuses,
/// zeros are stored instead; the card then reports them as invalid entries.
/// @param blocks number of blocks that the doorbell announced
void Card::Inside::fetch_entries(QueuePair& pair, std::uint32_t blocks) noexcept {
  if (!pair.setup.ring_on_gpu) return;
  const std::uint32_t size = 1U << pair.setup.log_blocks;
  const std::uint32_t first = pair.producer & (size - 1);
  const auto copy = [&pair](std::uint32_t from, std::uint32_t count) {
    const std::size_t at = std::size_t{from} * kBlockBytes, bytes = std::size_t{count} * kBlockBytes;
    if (bytes > 0 && !copy_gpu(pair.ring_copy.data() + at, pair.setup.send_ring + at, bytes))
      std::memset(pair.ring_copy.data() + at, 0, bytes);
  };
  const std::uint32_t fresh = std::min(blocks, size), until_end = std::min(fresh, size - first);
  copy(first, until_end);
  copy(0, fresh - until_end);
}

ResolvedAddress Card::Inside::find_local(const QueuePair& pair, const DataPiece& piece,
                                         unsigned access) const noexcept {
  return memory.find(piece.key, piece.address, piece.bytes, access, pair.setup.domain);
}

bool Card::Inside::send(QueuePair& pair) {
  const bool is_in_error = pair.facts.state == QueueState::kError;
  if (!is_in_error && pair.facts.state != QueueState::kReadyToSend) return false;
  const bool rang = read_doorbell(pair);
  if (is_in_error) {
    if (rang) flush(pair);
    return rang;
  }
  bool moved = false;
  for (int n = 0; n < kEntriesPerLook && pair.next != pair.producer && !pair.stopped; ++n) {
    if (!pair.has_work) {
      if (pair.pending.size() >= kMaxPending) break;
      begin(pair);
    }
    const std::size_t before = pair.pending.size();
    if (!carry_out(pair)) break;
    moved = true;
    if (pair.pending.size() == before) continue;  // only a part of the entry was sent
    pair.next += std::min(pair.work.blocks, pair.producer - pair.next);
    pair.has_work = false;
  }
  complete(pair);
  return moved || rang;
}

/// Reads and checks the send queue's next entry, which becomes pair.work.
void Card::Inside::begin(QueuePair& pair) {
  Work& work = pair.work;
  pair.sent = 0;
  pair.fault = read_work(pair.ring(), pair.next, &work);
  pair.has_work = true;
  const bool is_beyond = pair.producer - pair.next > 1U << pair.setup.log_blocks;
  if (pair.fault == 0 && (is_beyond || work.blocks > pair.producer - pair.next))
    pair.fault = kLocalQueueOperation;
  const unsigned access = work.opcode == kRead || is_atomic(work.opcode) ? kLocalWrite : 0;
  pair.from_gpu = false;
  for (std::uint32_t n = 0; n < work.piece_count && pair.fault == 0; ++n) {
    if (work.pieces[n].bytes == 0) continue;
    const ResolvedAddress found = find_local(pair, work.pieces[n], access);
    if (found.at == nullptr) pair.fault = kLocalProtection;
    pair.from_gpu = pair.from_gpu || found.on_gpu;
  }
  const bool is_local = work.opcode == kNop || work.opcode == kWait || work.opcode == kDump;
  if (pair.fault != 0 || is_local) return;
  const bool is_dc = pair.setup.kind == QueueKind::kDcInitiator;
  pair.to_lid = is_dc ? work.target_lid : pair.facts.remote_lid;
  pair.to_queue = is_dc ? work.target_queue : pair.facts.remote_queue;
  ++pair.counters.requests;
  if (requests++ >= faults->requests_until_error) pair.fault = kLocalQueueOperation;
  if (port.bytes_sent + work.total > faults->bytes_until_down || faults->bytes_until_down == 0)
    port_is_down = true;
  if (pair.fault == 0 && (port_is_down || fabric.to(pair.to_lid) == nullptr)) pair.fault = kTransportRetries;
  pair.flips = work.total > kMaxSparedBytes && faults->bit_flip.strike();
  const bool turns = is_dc && (pair.dc_lid != pair.to_lid || pair.dc_target != pair.to_queue);
  if (turns) ++pair.counters.dc_connects;
  pair.dc_lid = pair.to_lid;
  pair.dc_target = pair.to_queue;
  if (model.paced()) pair.ready_ns = now_ns() + static_cast<std::int64_t>(turns ? model.dc_reconnect_ns : 0);
}

/// Reserves the port for the next frame of pair.work.
/// @returns the time when the frame is at the other card
std::int64_t Card::Inside::reserve_port(QueuePair& pair, std::uint64_t bytes) noexcept {
  const auto slot = outgoing.reserve(pair.ready_ns, model.wire_ns(bytes));
  pair.ready_ns = slot.end_ns;
  return slot.end_ns + static_cast<std::int64_t>(model.latency_ns);
}

/// Performs the next step of the entry pair.work, e.g. sends one frame. After the last step the entry is in
/// pair.pending. False if nothing can be done now: no room in the ring, a port that the link model keeps
/// busy, or a WAIT that is not fulfilled.
bool Card::Inside::carry_out(QueuePair& pair) {
  const Work& work = pair.work;
  PendingEntry pending;
  pending.counter = work.index;
  pending.opcode = work.opcode;
  pending.wants_completion = work.wants_completion;
  pending.bytes = static_cast<std::uint32_t>(work.total);
  if (pair.fault == 0 && work.opcode == kWait) {
    const auto queue = completion_queues.find(work.wait_queue);
    if (queue == completion_queues.end()) {
      pair.fault = kLocalQueueOperation;
    } else if (!queue->second.has_passed(work.wait_index)) {
      return false;
    }
  }
  if (pair.fault != 0 || work.opcode == kNop || work.opcode == kWait || work.opcode == kDump) {
    pending.is_done = true;
    pending.syndrome = pair.fault;
    pair.stopped = pair.stopped || pair.fault != 0;
    pair.pending.push_back(std::move(pending));
    return true;
  }
  CardConnection* channel = fabric.to(pair.to_lid);
  if (channel == nullptr) {
    pair.fault = kTransportRetries;
    return carry_out(pair);
  }
  FrameHeader header;
  header.opcode = work.opcode;
  header.opmod = work.opmod;
  header.source_queue = pair.number;
  header.target_queue = pair.to_queue;
  header.key = work.key;
  header.immediate = work.immediate;
  header.access_key = work.access_key;
  header.receiver_retries = static_cast<std::uint8_t>(pair.receiver_retries);
  header.address = work.address + pair.sent;
  header.total = work.total;
  if (!send_frame(pair, *channel, header)) return false;
  if (pair.fault != 0) return carry_out(pair);
  if (pair.sent < work.total && work.opcode != kRead && !is_atomic(work.opcode)) return true;
  if (work.opcode == kRead || is_atomic(work.opcode)) {
    pending.into.assign(work.pieces.begin(), work.pieces.begin() + work.piece_count);
    pending.operand_bytes = work.operand_bytes;
  }
  pending.lid = pair.to_lid;
  pair.pending.push_back(std::move(pending));
  return true;
}

/// Copies local data of the work queue entry pair.work into the payload of a message (frame) to the target.
/// @param offset first byte to copy, counted in the entry's data
/// @returns false if memory of the entry is not registered or cannot be read
bool Card::Inside::gather(const QueuePair& pair, std::uint64_t offset, const Parts& to, std::size_t bytes) {
  const Work& work = pair.work;
  if (work.is_inline) {
    copy_in(to, 0, work.inline_bytes.data() + offset, bytes);
    return true;
  }
  std::size_t done = 0;
  for (std::uint32_t n = 0; n < work.piece_count && done < bytes; ++n) {
    const DataPiece& piece = work.pieces[n];
    if (offset >= piece.bytes) {
      offset -= piece.bytes;
      continue;
    }
    const std::size_t now = std::min<std::size_t>(piece.bytes - offset, bytes - done);
    // the memory may have been deregistered since the entry was read
    const ResolvedAddress found = find_local(pair, piece, 0);
    if (found.at == nullptr) return false;
    std::size_t copied = 0;
    for (std::size_t part = 0, skip = done; part < to.size() && copied < now; ++part) {
      if (skip >= to[part].size()) {
        skip -= to[part].size();
        continue;
      }
      const std::size_t here = std::min(to[part].size() - skip, now - copied);
      const std::byte* from = found.at + offset + copied;
      if (found.on_gpu) {
        if (!copy_gpu(to[part].data() + skip, from, here)) return false;
      } else {
        std::memcpy(to[part].data() + skip, from, here);
      }
      copied += here;
      skip = 0;
    }
    done += now;
    offset = 0;
  }
  return true;
}

bool Card::Inside::send_frame(QueuePair& pair, CardConnection& channel, FrameHeader& header) {
  const Work& work = pair.work;
  // The frames of queue pairs that send at the same time take turns on the port.
  if (model.paced() && pair.sent > 0 && now_ns() < pair.ready_ns) return false;
  const bool has_data = work.opcode != kRead && !is_atomic(work.opcode);
  const bool can_pull = channel.is_self || channel.shared->can_pull.load(std::memory_order_relaxed) == 1;
  // Decided once per message: whether the peer can copy may become known between two frames.
  if (pair.sent == 0)
    pair.pulls = (work.opcode == kWrite || work.opcode == kWriteImmediate) && !work.is_inline &&
                 work.piece_count == 1 && work.total >= kMinPull && !pair.from_gpu && can_pull;
  const bool pulls = pair.pulls;
  // A message with immediate data is pulled as a whole, because its last frame states its length.
  const bool is_sliced = pulls && model.paced() && work.opcode == kWrite;
  const std::uint64_t pulled = is_sliced ? std::min(work.total - pair.sent, softcard::kWireSliceBytes)
                               : pulls   ? work.total
                                         : 0;
  std::uint64_t bytes = has_data && !pulls ? work.total - pair.sent : 0;
  if (is_atomic(work.opcode)) bytes = sizeof work.operands;
  bytes = std::min<std::uint64_t>(bytes, FrameRing::kMaxPayload);
  if (!channel.out.has_room(bytes)) return false;
  header.bytes = static_cast<std::uint32_t>(bytes);
  header.kind = work.opcode == kRead     ? FrameKind::kRead
                : is_atomic(work.opcode) ? FrameKind::kAtomic
                : pulls                  ? FrameKind::kPull
                                         : FrameKind::kData;
  const Parts payload = channel.out.payload(bytes);
  bool copied = true;
  if (is_atomic(work.opcode)) {
    copy_in(payload, 0, reinterpret_cast<const std::byte*>(work.operands.data()), bytes);
  } else if (bytes > 0) {
    copied = gather(pair, pair.sent, payload, bytes);
  }
  if (pulls) {
    const ResolvedAddress found = find_local(pair, work.pieces[0], 0);
    copied = found.at != nullptr;
    header.source_address = reinterpret_cast<std::uintptr_t>(found.at) + pair.sent;
    header.total = pulled;
  }
  if (!copied) {
    pair.fault = kLocalProtection;
    return true;
  }
  header.flags = pair.sent == 0 ? kFirst : 0;
  const std::uint64_t moved = pulls ? pulled : has_data ? bytes : 0;
  pair.sent += moved;
  const bool is_last = !has_data || pair.sent == work.total;
  if (is_last) header.flags |= kLast;
  if (is_last && pair.flips) header.flags |= kFlip;
  if (model.paced()) header.visible_ns = reserve_port(pair, header.carried_bytes());
  channel.out.put(header);
  channel.wake();
  pair.counters.bytes_sent += moved;
  port.bytes_sent += moved;
  ++pair.counters.packets_sent;
  ++port.packets_sent;
  return true;
}

}  // namespace collbench::softmlx5
