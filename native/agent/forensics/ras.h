#pragma once
// NCCL's own account of a job that hangs: its RAS service (2.24 and newer), asked as the ncclras program
// does.
#include <cstdint>
#include <string>
#include <vector>

namespace collbench::agent {

/// Where NCCL listens for such questions unless NCCL_RAS_ADDR says otherwise.
inline constexpr const char* kRasAddress = "localhost:28028";

/// Asks for the state of the job: "CLIENT PROTOCOL 2", "TIMEOUT", "STATUS", each answered by lines of text.
/// @param address host:port, [address]:port
/// @param limit_ns for all of it, from now on
/// @returns lines of the answer, at most 60 of at most 300 bytes; empty when nobody answers as RAS does
std::vector<std::string> ask_ras(const std::string& address, std::int64_t limit_ns);

}  // namespace collbench::agent
