#pragma once
// Connections between the ranks of the fake NCCL over TCP, for processes and for threads. The unique id names
// a root in the process that created it. Ranks send the root their listening addresses and receive those of
// all others. Connections end with their process.
#include <netinet/in.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace collbench::nccl_fake {

/// Identity of a rank: its number, device, host and listening address. Ranks exchange identities to connect
/// to each other.
struct RankIdentity {
  int rank = 0, ranks = 0;
  int physical = 0;        // Device number on its machine.
  std::uint64_t host = 0;  // Host id; equal on ranks that count as being on one host.
  sockaddr_in listener{};  // Address on which the rank listens.
};

/// One piece of a call of exchange(): memory to send to a peer, or to receive into. Pieces for one peer are
/// moved in their order. Sender and receiver must use the same tag and length.
struct TransferPiece {
  int peer = 0;
  void* data = nullptr;
  std::size_t bytes = 0;
  std::uint64_t tag = 0;
};

/// How a transfer between ranks ended. kAborted: this rank's communicator was aborted. kPeerLost: a
/// connection failed. kMismatch: the two ends disagree about tag or length of a piece; also, in meet(), this
/// rank cannot listen.
enum class ExchangeResult { kDone, kAborted, kPeerLost, kMismatch };

/// Opens the listening socket at which the ranks of a new communicator meet, on the interface in
/// NCCL_SOCKET_IFNAME or on lo. A detached thread serves it until the ranks have met.
/// @returns its address, such as "10.0.0.1:4711"; "" = no such interface, or it cannot listen
std::string open_root();

/// Listening socket, closed by the destructor.
class ListeningSocket {
 public:
  ListeningSocket() = default;
  /// Listens at `address` and writes the port that was assigned into it; port 0 = failed.
  explicit ListeningSocket(sockaddr_in& address);
  ListeningSocket(ListeningSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ListeningSocket& operator=(ListeningSocket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~ListeningSocket();
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

class Mesh {
 public:
  Mesh() = default;
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  /// Connects this rank to all others: sends its identity `mine` to the root and receives all identities.
  /// Waits until all ranks have come or `aborted` is true.
  /// @param root address from open_root()
  ExchangeResult meet(const std::string& root, RankIdentity mine, const std::atomic<bool>& aborted);
  /// Connects this rank to ranks whose identities are already known.
  /// @param listener socket at identities[rank]
  ExchangeResult connect(int rank, std::vector<RankIdentity> identities, ListeningSocket listener,
                         const std::atomic<bool>& aborted);

  [[nodiscard]] const std::vector<RankIdentity>& identities() const { return identities_; }
  /// Moves all pieces to and from all peers at the same time; pieces for this rank itself are copied. Only
  /// one thread may call it at a time.
  /// @param problem one sentence, set unless the result is kDone
  ExchangeResult exchange(const std::vector<TransferPiece>& sends, const std::vector<TransferPiece>& recvs,
                          const std::atomic<bool>& aborted, std::string& problem);
  /// Allgather of `bytes` bytes per rank, from `mine` into the array `all`, by rank. Uses other connections
  /// than exchange(), so that host calls do not disturb operations on streams.
  ExchangeResult gather(const void* mine, std::size_t bytes, void* all, const std::atomic<bool>& aborted);
  /// Shuts all connections down, so that exchange() and gather() in other threads fail. The destructor closes
  /// them.
  void shut();

 private:
  using Links = std::vector<int>;  // File descriptors by rank; -1 for the own rank.
  /// Data that a rank sends first on a new connection, so that the accepting rank knows who it is.
  struct Caller {
    int rank = 0, channel = 0;
  };
  /// Adds a connection that a rank with a higher number has made.
  /// @returns false if `caller` names no such rank or channel, or has a connection already; `fd` is closed
  /// then
  bool add(const Caller& caller, int fd);
  ExchangeResult move(const Links& links, const std::vector<TransferPiece>& sends,
                      const std::vector<TransferPiece>& recvs, const std::atomic<bool>& aborted,
                      std::string& problem) const;
  int rank_ = 0;
  std::vector<RankIdentity> identities_;
  Links links_[2];  // Connections for data and for control.
};

}  // namespace collbench::nccl_fake
