#pragma once
// Every unrecoverable failure is an exception of this type. "Not yet" is never an error but a null pointer or
// false. Each outer interface (ncclNet, SISCI, agent protocol, Node) translates the exception once.
#include <stdexcept>
#include <string>

namespace collbench {

enum class ErrorCode {
  kInvalidArgument,  // The caller requested something impossible.
  kUnavailable,      // The machine cannot do it; the message says what would make it possible.
  kConnectionLost,   // The peer or the link was lost.
  kTimeout,          // A deadline passed.
  kProtocol,         // The peer sent something that the protocol forbids.
  kCancelled,        // The operation was stopped on request.
  kInternal,         // One of our own invariants is broken.
};

/// Returns the name of an error code in messages between processes and in reports, such as "connection_lost".
/// Names never change.
const char* error_code_name(ErrorCode code) noexcept;

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// Returns the error for a system call that failed: "<what>: <text of the error> (errno N)".
[[nodiscard]] Error system_error(ErrorCode code, const std::string& what, int error_number);

}  // namespace collbench
