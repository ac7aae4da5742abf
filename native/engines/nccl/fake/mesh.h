#pragma once
// Connections between all ranks of a communicator: abstract unix sockets, between processes as between
// threads, or TCP where ranks have met at doors (doors.h). Nothing in the file system; the end of a process
// is the end of its connections.
#include <netinet/in.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace collbench::nccl_fake {

/// Who a rank is; everybody gets everybody's.
struct Hello {
  std::uint64_t magic = 0;
  int channel = 0;
  int rank = 0, ranks = 0;
  int ordinal = 0, physical = 0;  // device
  int process = 0;
  std::uint64_t host = 0;  // equal on ranks that count as of one host
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

/// Where ranks on several hosts listen; without a listener they are of one machine.
struct Doors {
  int listener = -1;                   // this rank's; the mesh closes it
  std::vector<sockaddr_in> addresses;  // by rank
};

class Mesh {
 public:
  /// Waits for all ranks that open the same `name`, until `aborted`.
  /// @param problem set when this returns other than kDone: one sentence
  Exchanged open(const std::string& name, const Hello& mine, const std::atomic<bool>& aborted,
                 std::string& problem, const Doors& doors = {});
  Mesh() = default;
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  [[nodiscard]] const std::vector<Hello>& hellos() const { return hellos_; }
  /// Moves all pieces, to and from all peers at once; pieces to the own rank are copied. One caller at a
  /// time.
  Exchanged exchange(std::vector<Piece> sends, std::vector<Piece> recvs, const std::atomic<bool>& aborted,
                     std::string& problem);
  /// The same on connections of their own, for calls of the host: `all` gets every rank's `mine`, by rank.
  Exchanged gather(const void* mine, std::size_t bytes, void* all, const std::atomic<bool>& aborted,
                   std::string& problem);
  /// Ends all connections; an exchange that runs in another thread fails.
  void shut();

 private:
  struct Links {
    std::vector<int> fds;  // by rank; -1 for the own
  };
  Exchanged accept_peers(int listener, const std::atomic<bool>& aborted);
  Exchanged connect_peer(const std::string& name, const Doors& doors, int peer, int channel,
                         const std::atomic<bool>& aborted);
  Exchanged move(const Links& links, std::vector<Piece>& sends, std::vector<Piece>& recvs,
                 const std::atomic<bool>& aborted, std::string& problem);
  Hello mine_;
  std::vector<Hello> hellos_;
  Links links_[2];  // data, control
};

}  // namespace collbench::nccl_fake
