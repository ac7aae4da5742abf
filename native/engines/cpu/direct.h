#pragma once
// Small sizes in one hop: every rank sends its data to those that need it, and who needs them combines them
// in rank order. Larger vectors go piece by piece.
#include <cstddef>
#include <functional>
#include <vector>

#include "collectives/collective.h"
#include "engines/cpu/connections.h"
#include "engines/cpu/memory.h"

namespace collbench::cpu {

class Direct {
 public:
  /// @param peers     by rank, all connected; outlives this object
  /// @param piece_bytes scratch per peer and direction
  Direct(std::vector<Peer>& peers, int rank, std::size_t piece_bytes, std::uint32_t spins,
         const std::function<bool()>& cancelled);
  ~Direct();
  Direct(const Direct&) = delete;
  Direct& operator=(const Direct&) = delete;

  /// The others go round the ring.
  static bool knows(CollectiveKind kind) noexcept;
  void run(const Operation& operation, const std::byte* send, std::byte* recv);

 private:
  /// What one peer has under way.
  struct Lane {
    SendComm* send = nullptr;
    RecvComm* recv = nullptr;
    MemoryRegion* send_region = nullptr;
    MemoryRegion* recv_region = nullptr;
    std::byte* outgoing = nullptr;
    std::byte* incoming = nullptr;
    Request* sent = nullptr;
    Request* awaited = nullptr;
    bool send_due = false;
    bool recv_due = false;
  };

  /// Elements [first, first + count) of the vector, or of each rank's part.
  void run_piece(const Operation& operation, const std::byte* send, std::byte* recv, std::size_t first,
                 std::size_t count);
  void exchange(std::size_t bytes);
  bool drive(Lane& lane, std::size_t bytes);

  int rank_;
  int ranks_;
  std::size_t piece_bytes_;
  std::uint32_t spins_;
  const std::function<bool()>& cancelled_;
  Pages scratch_;
  std::vector<Lane> lanes_;
};

}  // namespace collbench::cpu
