#pragma once
// What the sockets of this process received: unlike the counters of an interface, it is of nobody else.
#include <cstdint>
#include <map>
#include <optional>

namespace collbench::metrics {

/// Bytes received so far by each TCP socket of this process, by inode; nullopt where there is a socket of a
/// network whose bytes the kernel does not tell (UDP, raw packets, others), or /proc cannot be read.
using SocketBytes = std::optional<std::map<std::uint64_t, std::uint64_t>>;
SocketBytes read_socket_bytes();

/// Received between two readings. An MPI that connects from both ends closes one of the two connections at
/// some later time; what a closed socket received is not told any more.
struct SocketsReceived {
  std::uint64_t bytes = 0;  // by the sockets that are still there; all there is only where gone is 0
  std::uint32_t gone = 0;   // sockets closed meanwhile; one that came and went in between is not seen
};

/// nullopt where one of the readings is.
std::optional<SocketsReceived> received_between(const SocketBytes& before, const SocketBytes& after);

/// What all TCP sockets that this process has now have sent and received so far; without what was sent again.
/// nullopt as above, or where the kernel does not count what is sent (before 4.19).
struct SocketTraffic {
  std::uint64_t sent = 0, received = 0;
};
std::optional<SocketTraffic> read_socket_traffic();

}  // namespace collbench::metrics
