#include "transports/argument_checks.h"

#include "core/error.h"

namespace collbench {
namespace {

[[noreturn]] void refuse_argument(const char* transport, const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument, std::string(transport) + ": " + why);
}

}  // namespace

void require_host_memory(const char* transport, MemoryKind kind) {
  if (kind != MemoryKind::kHost) refuse_argument(transport, "moves host memory only, not GPU memory");
}

void require_one_buffer(const char* transport, std::span<const ReceiveBuffer> buffers) {
  if (buffers.size() != 1)
    refuse_argument(transport,
                    "one buffer per receive, not " + std::to_string(buffers.size()) + " (max_receives is 1)");
}

void require_first_device(const char* transport, int device) {
  if (device != 0) refuse_argument(transport, "there is one device, number 0, not " + std::to_string(device));
}

void refuse_message(const std::string& from, std::size_t bytes, std::int32_t tag, std::size_t capacity,
                    std::int32_t wanted_tag) {
  if (bytes > capacity)
    throw Error(ErrorCode::kProtocol, from + " sent " + std::to_string(bytes) + " bytes where " +
                                          std::to_string(capacity) + " were expected");
  throw Error(ErrorCode::kProtocol, from + " sent tag " + std::to_string(tag) + " where tag " +
                                        std::to_string(wanted_tag) + " was expected");
}

}  // namespace collbench
