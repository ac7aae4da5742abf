#pragma once
// Messages between this rank and others, all at the same time: each way of each peer is a lane whose messages
// are posted in order, as many as the transport takes, receives first.
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engines/cpu/connections.h"

namespace collbench::cpu {

class Transfers {
 public:
  /// Registration of a message's memory with the comm it goes over; may be null.
  using RegionOf = std::function<MemoryRegion*(const Message&)>;

  /// @param peers by rank; outlives this object  @param longest_message bytes that the transport takes at
  /// once
  Transfers(std::vector<Peer>& peers, std::size_t longest_message, std::uint32_t spins,
            const std::function<bool()>& cancelled);

  /// @throws Error(kInvalidArgument) for a rank that this one is not connected to
  void run(std::span<const Message> messages, const RegionOf& region_of);

 private:
  struct Piece {
    std::byte* data;
    std::size_t bytes;
    MemoryRegion* region;
    Request* request = nullptr;
  };
  struct Lane {
    SendComm* send = nullptr;  // one of the two
    RecvComm* recv = nullptr;
    std::vector<Piece> pieces;
    std::size_t posted = 0, finished = 0;
    [[nodiscard]] bool over() const noexcept { return finished == pieces.size(); }
  };
  Lane& lane_of(const Message& message);
  static bool post(Lane& lane);
  static bool finish(Lane& lane);

  std::vector<Peer>& peers_;
  const std::size_t longest_piece_;
  const std::uint32_t spins_;
  const std::function<bool()>& cancelled_;
  std::vector<Lane> lanes_;    // by rank: what comes from it, then what goes to it
  std::vector<Lane*> active_;  // of the running transfer
};

}  // namespace collbench::cpu
