#pragma once
// Collectives in one hop for small sizes: every rank sends its data to those that need them, which combine
// them in rank order. Larger vectors go piece by piece.
#include <cstddef>
#include <functional>
#include <vector>

#include "collectives/collective.h"
#include "engines/cpu/connections.h"
#include "engines/cpu/memory.h"

namespace collbench::cpu {

class DirectExecutor {
 public:
  /// @param peers connections indexed by rank, to all other ranks; must outlive this object
  /// @param piece_bytes scratch memory per peer and direction, in bytes
  /// @param spins polls before a wait yields its core
  DirectExecutor(std::vector<PeerConnections>& peers, int rank, std::size_t piece_bytes, std::uint32_t spins,
                 const std::function<bool()>& cancelled);
  ~DirectExecutor();
  DirectExecutor(const DirectExecutor&) = delete;
  DirectExecutor& operator=(const DirectExecutor&) = delete;

  /// Returns true if this class can run the collective. Others run as a Schedule (list of sends, receives and
  /// computations), also if the user requested the algorithm "direct".
  static bool supports(CollectiveKind kind) noexcept;
  void run(const Operation& operation, const std::byte* send, std::byte* recv);

 private:
  /// State of the transfers between this rank and one peer for the piece of the vector in progress.
  struct PeerTransfer {
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

  /// Runs the collective for elements [first, first + count) only: of the whole vector, or of each rank's
  /// part.
  void run_piece(const Operation& operation, const std::byte* send, std::byte* recv, std::size_t first,
                 std::size_t count);
  void exchange(std::size_t bytes);
  bool drive(PeerTransfer& lane, std::size_t bytes);

  int rank_;
  int ranks_;
  std::size_t piece_bytes_;
  std::uint32_t spins_;
  const std::function<bool()>& cancelled_;
  Pages scratch_;
  std::vector<PeerTransfer> transfers_;
};

}  // namespace collbench::cpu
