#pragma once
// Unrecoverable failures are exceptions of this one type; "not yet" is never an error (it is a null pointer
// or false). Each outer edge (ncclNet, SISCI, agent protocol, Node) translates once.
#include <stdexcept>
#include <string>

namespace collbench {

enum class ErrorCode {
  kInvalidArgument,  // the caller asked for something impossible
  kUnavailable,      // cannot run on this machine; the message says what would make it run
  kConnectionLost,   // the peer or the link went away
  kTimeout,          // a deadline passed
  kProtocol,         // the peer sent something it must not send
  kCancelled,        // asked to stop
  kInternal,         // a broken invariant of ours
};

/// Stable lower-case name used on the wire and in reports, e.g. "connection_lost".
const char* error_code_name(ErrorCode code) noexcept;

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Error of a failed system call: "<what>: <strerror> (errno N)".
[[nodiscard]] Error system_error(ErrorCode code, const std::string& what, int error_number);

}  // namespace collbench
