#pragma once
// How ranks find each other and exchange data: over TCP, between processes as between threads. The unique id
// names a root in the process that made it; ranks tell it where they listen and get everybody's place. The
// end of a process is the end of its connections.
#include <netinet/in.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace collbench::nccl_fake {

/// Who a rank is; everybody gets everybody's.
struct Hello {
  int rank = 0, ranks = 0;
  int physical = 0;        // device, as the machine counts
  std::uint64_t host = 0;  // equal on ranks that count as of one host
  sockaddr_in door{};      // where it listens
};

/// A stretch of memory to or from a peer. Pieces for one peer go in order; sender and receiver must agree in
/// tag and length.
struct Piece {
  int peer = 0;
  void* data = nullptr;
  std::size_t bytes = 0;
  std::uint64_t tag = 0;
};

enum class Exchanged { kDone, kAborted, kPeerLost, kMismatch };

/// Starts the root of one communicator, on the interface that NCCL_SOCKET_IFNAME names or on lo.
/// @return "10.0.0.1:4711", "" = there is no such interface
std::string open_root();

/// A listening socket, closed at its end.
class Door {
 public:
  Door() = default;
  /// Listens at an address, whose port is set; 0 = impossible.
  explicit Door(sockaddr_in& address);
  Door(Door&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Door& operator=(Door&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Door();
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

  /// Waits at the root for all ranks and connects them, until `aborted`.
  Exchanged meet(const std::string& root, Hello mine, const std::atomic<bool>& aborted);
  /// Connects ranks that know each other. @param door that of hellos[rank]
  Exchanged connect(int rank, std::vector<Hello> hellos, Door door, const std::atomic<bool>& aborted);

  [[nodiscard]] const std::vector<Hello>& hellos() const { return hellos_; }
  /// Moves all pieces, to and from all peers at once; pieces to the own rank are copied. One caller at a
  /// time.
  /// @param problem set when this returns other than kDone: one sentence
  Exchanged exchange(const std::vector<Piece>& sends, const std::vector<Piece>& recvs,
                     const std::atomic<bool>& aborted, std::string& problem);
  /// The same on connections of their own, for calls of the host: `all` gets every rank's `mine`, by rank.
  Exchanged gather(const void* mine, std::size_t bytes, void* all, const std::atomic<bool>& aborted);
  /// Ends all connections; an exchange that runs in another thread fails.
  void shut();

 private:
  using Links = std::vector<int>;  // file descriptors by rank; -1 for the own
  /// Takes one connection of a rank that counts more than ours. @return whether one was added; `result` is
  /// set when there can be no more
  bool answer(const Door& door, const std::atomic<bool>& aborted, Exchanged& result);
  Exchanged move(const Links& links, const std::vector<Piece>& sends, const std::vector<Piece>& recvs,
                 const std::atomic<bool>& aborted, std::string& problem) const;
  int rank_ = 0;
  std::vector<Hello> hellos_;
  Links links_[2];  // data, control
};

}  // namespace collbench::nccl_fake
