#include "core/error.h"

#include <cstring>

namespace collbench {

Error system_error(ErrorCode code, const std::string& what, int error_number) {
  return Error(code,
               what + ": " + std::strerror(error_number) + " (errno " + std::to_string(error_number) + ")");
}

}  // namespace collbench
