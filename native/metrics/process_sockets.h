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

/// Received between two readings by all sockets together; nullopt where one of them is, or where a socket has
/// gone meanwhile. One that came and went in between is not seen.
std::optional<std::uint64_t> received_between(const SocketBytes& before, const SocketBytes& after);

}  // namespace collbench::metrics
