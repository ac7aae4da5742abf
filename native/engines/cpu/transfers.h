#pragma once
// Messages between this rank and others, all at the same time. Each direction of each peer is a lane. A
// lane's messages are posted in order, as many as the transport accepts, receives first.
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engines/cpu/connections.h"

namespace collbench::cpu {

class MessageTransfers {
 public:
  /// Function that returns the registration of a message's memory with the connection that moves it. Null if
  /// the transport needs no registration.
  using RegionOf = std::function<MemoryRegion*(const PeerMessage&)>;

  /// @param peers connections indexed by rank; must outlive this object
  /// @param longest_message maximum bytes per message of the transport; longer messages are split
  /// @param spins polls before a wait yields its core
  MessageTransfers(std::vector<PeerConnections>& peers, std::size_t longest_message, std::uint32_t spins,
                   const std::function<bool()>& cancelled);

  /// Transfers all messages at the same time and waits until they are complete.
  /// @throws Error(kInvalidArgument) if a message's peer has no connection
  void run(std::span<const PeerMessage> messages, const RegionOf& region_of);

 private:
  struct Piece {
    std::byte* data;
    std::size_t bytes;
    MemoryRegion* region;
    Request* request = nullptr;
  };
  struct Lane {
    SendComm* send = nullptr;  // Exactly one of `send` and `recv` is set.
    RecvComm* recv = nullptr;
    std::vector<Piece> pieces;
    std::size_t posted = 0, finished = 0;
    [[nodiscard]] bool is_over() const noexcept { return finished == pieces.size(); }
  };
  Lane& lane_of(const PeerMessage& message);
  static bool post(Lane& lane);
  static bool finish(Lane& lane);

  std::vector<PeerConnections>& peers_;
  const std::size_t longest_piece_;
  const std::uint32_t spins_;
  const std::function<bool()>& cancelled_;
  std::vector<Lane>
      lanes_;  // Lanes by rank: first the one that receives from it, then the one that sends to it.
  std::vector<Lane*> active_;  // Lanes of the running transfer.
};

}  // namespace collbench::cpu
