#include "engines/cpu/transfers.h"

#include <algorithm>
#include <string>

namespace collbench::cpu {

MessageTransfers::MessageTransfers(std::vector<PeerConnections>& peers, std::size_t longest_message,
                                   std::uint32_t spins, const std::function<bool()>& cancelled)
    : peers_(peers),
      longest_piece_(longest_message),
      spins_(spins),
      cancelled_(cancelled),
      lanes_(2 * peers.size()) {}

MessageTransfers::Lane& MessageTransfers::lane_of(const PeerMessage& message) {
  const bool sends = message.direction == PeerMessage::Direction::kSend;
  Lane& lane = lanes_.at(2 * static_cast<std::size_t>(message.peer) + (sends ? 1 : 0));
  const PeerConnections& peer = peers_.at(static_cast<std::size_t>(message.peer));
  if (sends)
    lane.send = peer.send.get();
  else
    lane.recv = peer.recv.get();
  if (lane.send == nullptr && lane.recv == nullptr) throw not_connected(message.peer);
  return lane;
}

bool MessageTransfers::post(Lane& lane) {
  bool moved = false;
  for (; lane.posted < lane.pieces.size(); ++lane.posted, moved = true) {
    Piece& piece = lane.pieces[lane.posted];
    if (lane.recv != nullptr) {
      const ReceiveBuffer buffer{piece.data, piece.bytes, 0, piece.region};
      piece.request = lane.recv->irecv({&buffer, 1});
    } else {
      piece.request = lane.send->isend(piece.data, piece.bytes, 0, piece.region);
    }
    if (piece.request == nullptr) break;
  }
  return moved;
}

/// Completes messages of one connection that have ended, the oldest first, because a connection completes its
/// messages in order.
bool MessageTransfers::finish(Lane& lane) {
  bool moved = false;
  for (; lane.finished < lane.posted; ++lane.finished, moved = true) {
    const Piece& piece = lane.pieces[lane.finished];
    if (lane.send != nullptr) {
      if (!lane.send->test(piece.request)) break;
      continue;
    }
    std::size_t got = 0;
    if (!lane.recv->test(piece.request, &got)) break;
    if (got != piece.bytes)
      throw Error(ErrorCode::kProtocol,
                  "a message of " + std::to_string(got) + " bytes came where " + std::to_string(piece.bytes) +
                      " were due: the transport cut the message, or the ranks run different operations");
  }
  return moved;
}

void MessageTransfers::run(std::span<const PeerMessage> messages, const RegionOf& region_of) {
  active_.clear();
  for (const PeerMessage& message : messages) {
    Lane& lane = lane_of(message);
    if (std::find(active_.begin(), active_.end(), &lane) == active_.end()) {
      lane.pieces.clear();
      lane.posted = lane.finished = 0;
      active_.push_back(&lane);
    }
    MemoryRegion* region = region_of(message);
    std::size_t at = 0;
    do {
      const std::size_t bytes = std::min(longest_piece_, message.bytes - at);
      lane.pieces.push_back({message.data + at, bytes, region});
      at += bytes;
    } while (at < message.bytes);
  }
  std::stable_partition(active_.begin(), active_.end(),
                        [](const Lane* lane) { return lane->recv != nullptr; });
  TransportWait waiting(spins_, cancelled_);
  while (!active_.empty()) {
    bool moved = false;
    for (Lane* lane : active_) moved |= post(*lane);
    for (Lane* lane : active_) moved |= finish(*lane);
    std::erase_if(active_, [](const Lane* lane) { return lane->is_over(); });
    if (moved)
      waiting.progressed();
    else
      waiting.step([this](std::vector<pollfd>& set) {
        for (const Lane* lane : active_)
          lane->recv != nullptr ? lane->recv->add_to_poll(set) : lane->send->add_to_poll(set);
      });
  }
}

}  // namespace collbench::cpu
