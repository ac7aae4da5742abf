#pragma once
// Every unrecoverable failure is an exception of this type. "Not yet" is never an error but a null pointer or
// false. Each outer interface (ncclNet, SISCI, agent protocol, Node) translates the exception once.
#include <cstddef>
#include <stdexcept>
#include <string>

#include "core/generated/error_code.h"

namespace collbench {

/// Returns the name of an error code in messages between processes and in reports, such as "connection_lost".
constexpr const char* error_code_name(ErrorCode code) noexcept {
  return kErrorCodes[static_cast<std::size_t>(code)].name;
}

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
