#pragma once
// Facts about a rank that can be learnt from outside its process, and their texts.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace collbench::agent {

/// Returns the process state, a letter from /proc/PID/stat (R, S, D, T, t, Z); '?' if there is no such
/// process.
char process_state(pid_t pid);
/// Returns the name of the kernel function in which the process sleeps (/proc/PID/wchan); "" if it is running
/// or the kernel does not report it.
std::string kernel_wait(pid_t pid);
/// Returns the name of a signal: "SIGKILL"; "signal 34" if it has no name.
std::string signal_name(int signal);
/// Returns what a wait status means, as text: "was killed by SIGKILL" or "exited with code 7".
std::string describe_death(int wait_status);
/// Returns a duration as text: "120 s", "1.5 s", "250 ms". Seconds have at most three significant digits, but
/// are whole from 100 s on; below 1 s the text has whole milliseconds, rounded down.
std::string format_seconds(std::int64_t ns);

/// Address of NCCL's RAS service (which reports the state of a running job), used if the environment variable
/// NCCL_RAS_ADDR is not set.
inline constexpr const char* kRasAddress = "localhost:28028";

/// Asks NCCL's RAS service for the state of the job, with the commands "CLIENT PROTOCOL 2", "TIMEOUT" and
/// "STATUS".
/// @param address host:port or [address]:port
/// @param limit_ns maximum time for connection and answer, in ns; looking up the host's name is not limited
/// @returns at most 60 lines of at most 300 bytes, without empty ones; empty if no RAS service answers
std::vector<std::string> ask_ras(const std::string& address, std::int64_t limit_ns);

}  // namespace collbench::agent
