#pragma once
// Bytes received by the sockets of this process. Unlike interface counters they include no other process.
#include <cstdint>
#include <map>
#include <optional>

namespace collbench::metrics {

/// Bytes received so far by each TCP socket of this process, by inode number. nullopt if /proc cannot be
/// read, or if the process has a socket whose bytes the kernel does not report (e.g. UDP, raw packets); the
/// sum would then be incomplete.
using SocketBytes = std::optional<std::map<std::uint64_t, std::uint64_t>>;
SocketBytes read_socket_bytes();

/// Bytes received between two readings. An MPI that connects from both ends later closes one of the two
/// connections. The kernel no longer reports the bytes of a closed socket, so these are missing.
struct SocketsReceived {
  std::uint64_t bytes = 0;  // bytes received by sockets that are still open; complete only if gone is 0
  /// number of sockets closed between the readings; a socket that opened and closed in between is not counted
  std::uint32_t gone = 0;
};

/// Returns the bytes received between two results of read_socket_bytes(), and how many sockets were closed
/// between them; nullopt if one of the results is nullopt.
std::optional<SocketsReceived> received_between(const SocketBytes& before, const SocketBytes& after);

/// Bytes sent and received so far by all open TCP sockets of this process, without retransmissions.
struct SocketTraffic {
  std::uint64_t sent = 0, received = 0;
};
/// Returns the sums over all open TCP sockets of this process. nullopt if /proc cannot be read, if a socket's
/// bytes are not reported by the kernel (e.g. UDP), or if it does not count sent bytes (Linux before 4.19).
std::optional<SocketTraffic> read_socket_traffic();

}  // namespace collbench::metrics
