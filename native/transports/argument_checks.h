#pragma once
// Checks of what callers and peers pass to a transport, with the same words for every transport.
#include <span>
#include <string>

#include "transports/transport.h"

namespace collbench {

/// @throws Error(kInvalidArgument) for GPU memory
void require_host_memory(const char* transport, MemoryKind kind);
/// @throws Error(kInvalidArgument) unless there is exactly one buffer
void require_one_buffer(const char* transport, std::span<const ReceiveBuffer> buffers);
/// @throws Error(kInvalidArgument) for another device than number 0
void require_first_device(const char* transport, int device);
/// Reports a message that does not fit the posted receive: it is longer than the buffer, or has another tag.
/// @param from transport and peer for the error's text: "shm: process 4711"
/// @throws Error(kProtocol) always
[[noreturn]] void refuse_message(const std::string& from, std::size_t bytes, std::int32_t tag,
                                 std::size_t capacity, std::int32_t wanted_tag);

}  // namespace collbench
