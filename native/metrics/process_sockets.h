#pragma once
// Bytes received by the sockets of this process. Unlike interface counters they include no other process.
#include <cstdint>
#include <map>
#include <optional>

namespace collbench::metrics {

/// Bytes received so far by each TCP socket of this process, by inode. nullopt if the process has a socket
/// whose bytes the kernel does not report (UDP, raw packets, others), or if /proc cannot be read.
using SocketBytes = std::optional<std::map<std::uint64_t, std::uint64_t>>;
SocketBytes read_socket_bytes();

/// Difference of two readings. An MPI that connects from both ends later closes one of the two connections,
/// and the bytes of a closed socket are no longer reported.
struct SocketsReceived {
  std::uint64_t bytes = 0;  // bytes received by sockets that are still open; complete only if gone is 0
  /// sockets closed between the readings; one that opened and closed in between is not counted
  std::uint32_t gone = 0;
};

/// nullopt if one of the readings is.
std::optional<SocketsReceived> received_between(const SocketBytes& before, const SocketBytes& after);

/// Bytes sent and received so far by all open TCP sockets of this process, without retransmissions. nullopt
/// as above, or if the kernel does not count sent bytes (before 4.19).
struct SocketTraffic {
  std::uint64_t sent = 0, received = 0;
};
std::optional<SocketTraffic> read_socket_traffic();

}  // namespace collbench::metrics
