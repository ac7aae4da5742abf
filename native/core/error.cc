#include "core/error.h"

#include <cstring>

namespace collbench {

const char* error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kConnectionLost:
      return "connection_lost";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kProtocol:
      return "protocol";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

Error system_error(ErrorCode code, const std::string& what, int error_number) {
  return Error(code,
               what + ": " + std::strerror(error_number) + " (errno " + std::to_string(error_number) + ")");
}

}  // namespace collbench
