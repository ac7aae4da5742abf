#pragma once
// Client of NCCL's RAS service (2.24 and newer), which knows the state of a job that hangs. It talks to the
// service as the ncclras program does.
#include <cstdint>
#include <string>
#include <vector>

namespace collbench::agent {

/// Address of NCCL's RAS service (which reports the state of a running job), used if the environment variable
/// NCCL_RAS_ADDR is not set.
inline constexpr const char* kRasAddress = "localhost:28028";

/// Asks NCCL's RAS service for the state of the job, with the commands "CLIENT PROTOCOL 2", "TIMEOUT" and
/// "STATUS".
/// @param address host:port or [address]:port
/// @param limit_ns maximum time for connection and answer, in ns
/// @returns at most 60 lines of at most 300 bytes; empty if no RAS service answers
std::vector<std::string> ask_ras(const std::string& address, std::int64_t limit_ns);

}  // namespace collbench::agent
