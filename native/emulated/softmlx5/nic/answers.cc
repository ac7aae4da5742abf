// The initiator's side: handles answers of targets.
#include <algorithm>
#include <cstring>

#include "core/clock.h"
#include "core/process_memory.h"
#include "emulated/softmlx5/nic/inside.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5 {

using namespace mlx5;

/// Writes received bytes into the local memory of an unfinished READ or atomic, after those that arrived
/// before.
/// @returns false if that memory is too short, not registered or cannot be written
bool Card::Inside::scatter(const QueuePair& pair, PendingEntry& pending, const std::byte* from,
                           std::size_t bytes) {
  std::uint64_t offset = pending.arrived;
  std::size_t done = 0;
  for (const DataPiece& piece : pending.into) {
    if (offset >= piece.bytes) {
      offset -= piece.bytes;
      continue;
    }
    const std::size_t now = std::min<std::size_t>(piece.bytes - offset, bytes - done);
    const ResolvedAddress found = find_local(pair, piece, kLocalWrite);
    if (found.at == nullptr || !copy_bytes(found.at + offset, from + done, now, found.on_gpu)) return false;
    done += now;
    offset = 0;
    if (done == bytes) break;
  }
  pending.arrived += done;
  return done == bytes;
}

/// Copies `bytes` directly from the memory of the peer's process, without a message.
/// @param from address in that process
/// @param to local memory, which may be on a GPU
/// @returns false if the copy is refused
bool Card::Inside::fetch(const CardConnection& channel, std::uint64_t from, const ResolvedAddress& to,
                         std::size_t bytes) {
  const auto* here = reinterpret_cast<const std::byte*>(from);
  if (channel.is_self) return copy_bytes(to.at, here, bytes, to.on_gpu);
  if (!to.on_gpu) return ipc::copy_from_process(channel.process, from, to.at, bytes);
  staging.resize(std::max(staging.size(), bytes));
  return ipc::copy_from_process(channel.process, from, staging.data(), bytes) &&
         copy_bytes(to.at, staging.data(), bytes, true);
}

/// Handles one answer of the target's adapter to a work queue entry of this initiator.
/// @param pending work queue entry that the answer belongs to
/// @returns 0, or the syndrome with which the entry fails
std::uint8_t Card::Inside::take_answer(QueuePair& pair, PendingEntry& pending, CardConnection& channel,
                                       const FrameHeader& header) {
  if (header.syndrome != 0) return header.syndrome;
  if (header.kind == FrameKind::kDone) return 0;
  if (header.kind == FrameKind::kReadPull) {
    for (const DataPiece& piece : pending.into) {
      const ResolvedAddress found = find_local(pair, piece, kLocalWrite);
      if (found.at == nullptr && piece.bytes > 0) return kLocalProtection;
      const std::uint64_t from = header.source_address + pending.arrived;
      if (channel.is_self) {
        if (!memory.holds(reinterpret_cast<const std::byte*>(from), piece.bytes)) return kRemoteAccess;
        std::memmove(found.at, reinterpret_cast<const std::byte*>(from), piece.bytes);
      } else if (!ipc::copy_from_process(channel.process, from, found.at, piece.bytes)) {
        return kBadResponse;
      }
      pending.arrived += piece.bytes;
    }
  } else {
    for (const std::span<std::byte>& part : channel.in.payload_of(header)) {
      if (!part.empty() && !scatter(pair, pending, part.data(), part.size())) return kLocalProtection;
    }
  }
  const std::uint64_t came = header.kind == FrameKind::kReadPull ? header.total : header.bytes;
  pair.counters.bytes_received += came;
  port.bytes_received += came;
  return 0;
}

bool Card::Inside::take_answers(CardConnection& channel) {
  bool moved = false;
  for (FrameHeader header; channel.in.front(&header); moved = true) {
    if (!has_arrived(channel, header)) break;
    QueuePair* pair = find(header.source_queue);
    const auto is_open = [](const PendingEntry& one) { return !one.is_done; };
    if (pair != nullptr) {
      const auto pending = std::ranges::find_if(pair->pending, is_open);
      if (pending != pair->pending.end()) {
        const std::uint8_t wrong = take_answer(*pair, *pending, channel, header);
        if (wrong != 0) {
          fail(*pair, wrong);
        } else if ((header.flags & kLast) != 0) {
          pending->is_done = true;
          complete(*pair);
        }
      } else if (header.syndrome != 0 && pair->has_work && pair->sent > 0) {
        pair->fault = header.syndrome;  // the target refused a frame of an entry whose later frames wait
      }
    }
    ++port.packets_received;
    channel.arrives_ns = 0;
    channel.in.pop(header);
  }
  if (channel.in.broken()) channel.is_lost = true;
  return moved;
}

void Card::Inside::fail_all_to(std::uint16_t lid) {
  for (auto& [number, pair] : queue_pairs) {
    const bool is_sending = pair->has_work && pair->to_lid == lid && pair->sent > 0;
    if (is_sending) pair->fault = kTransportRetries;  // the entry ends with this error at its next step
    const bool is_waiting = std::ranges::any_of(
        pair->pending, [lid](const PendingEntry& one) { return !one.is_done && one.lid == lid; });
    if (is_waiting) fail(*pair, kTransportRetries);
  }
}

}  // namespace collbench::softmlx5
