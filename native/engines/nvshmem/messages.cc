#include "engines/nvshmem/messages.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "engines/nvshmem/tuning.h"

namespace collbench::nvshmem {
namespace {

constexpr std::size_t kMaxLots = kCollbenchNvshmemMostLots;

/// The data that one rank sends to another in a transfer.
struct Sequence {
  std::size_t bytes = 0;
  unsigned pieces = 0;
};

bool sends(const PeerMessage& message) { return message.direction == PeerMessage::Direction::kSend; }

/// Returns true if a message to be sent follows the messages of `lot`, at both ends.
bool goes_on(const CollbenchNvshmemLot& lot, const PeerMessage& message) {
  const std::size_t length = lot.bytes * static_cast<std::size_t>(lot.count);
  return lot.peer == message.peer && lot.bytes == message.bytes &&
         static_cast<const std::byte*>(lot.from) + length == message.data &&
         static_cast<std::byte*>(lot.to) + length == message.landing;
}

}  // namespace

std::vector<CollbenchNvshmemTransfer> transfers_of(std::span<const PeerMessage> messages,
                                                   const NvshmemSettings& settings) {
  const std::size_t packet_bytes = point_of_transfer(0, settings).packet_bytes;
  std::map<int, Sequence> sent, received;  // By peer.
  std::vector<CollbenchNvshmemLot> lots;
  for (const PeerMessage& message : messages) {
    if (message.bytes == 0) continue;
    Sequence& sequence = (sends(message) ? sent : received)[message.peer];
    if (sends(message)) {
      if (!lots.empty() && goes_on(lots.back(), message))
        ++lots.back().count;
      else
        lots.push_back(
            {message.peer, 1, message.bytes, message.data, message.landing, 0, sequence.pieces, 0});
    }
    sequence.bytes += message.bytes;
    sequence.pieces += static_cast<unsigned>((message.bytes + packet_bytes - 1) / packet_bytes);
  }
  if (received.size() > kMaxLots)
    throw Error(ErrorCode::kInvalidArgument, "the nvshmem engine receives from " + std::to_string(kMaxLots) +
                                                 " peers in one transfer, and there are " +
                                                 std::to_string(received.size()));
  for (const auto& [peer, sequence] : received)
    lots.push_back({peer, 1, sequence.bytes, nullptr, nullptr, 0, 0, 0});
  const std::size_t first_receive = lots.size() - received.size();
  std::vector<CollbenchNvshmemTransfer> transfers;
  for (std::size_t n = 0; n < lots.size(); ++n) {
    CollbenchNvshmemLot& lot = lots[n];
    const Sequence& sequence = (lot.from != nullptr ? sent : received)[lot.peer];
    const CollbenchNvshmemPoint point = point_of_transfer(sequence.bytes, settings);
    lot.blocks = point.blocks;
    lot.total = sequence.pieces;
    const bool is_full = !transfers.empty() && static_cast<std::size_t>(transfers.back().lots) == kMaxLots;
    const bool splits_receives = n == first_receive && !transfers.empty() &&
                                 static_cast<std::size_t>(transfers.back().lots) + received.size() > kMaxLots;
    if (transfers.empty() || is_full || splits_receives) {
      CollbenchNvshmemTransfer made{};
      made.signal = settings.separate_signal ? kCollbenchNvshmemSeparate : kCollbenchNvshmemFused;
      made.point = {1, 1, packet_bytes};
      transfers.push_back(made);
    }
    CollbenchNvshmemTransfer& last = transfers.back();
    last.lot[last.lots++] = lot;
    last.point.blocks = std::max(last.point.blocks, point.blocks);
    last.point.threads = std::max(last.point.threads, point.threads);
  }
  return transfers;
}

}  // namespace collbench::nvshmem
