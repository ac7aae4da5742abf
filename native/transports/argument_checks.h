#pragma once
// Checks of what callers and peers pass to a transport, with the same words for every transport.
#include <span>
#include <string>

#include "transports/transport.h"

namespace collbench {

/// Checks that memory to be registered is host memory.
/// @param transport name of the transport, for the error's text, here and in the next two functions
/// @throws Error(kInvalidArgument) for GPU memory
void require_host_memory(const char* transport, MemoryKind kind);
/// Checks a receive of a transport that accepts only one buffer per receive.
/// @throws Error(kInvalidArgument) unless there is exactly one buffer
void require_one_buffer(const char* transport, std::span<const ReceiveBuffer> buffers);
/// Checks the device number for a transport that has only one device.
/// @throws Error(kInvalidArgument) for another device than number 0
void require_first_device(const char* transport, int device);
/// Reports a message that does not fit the posted receive: it is longer than the buffer, or has another tag.
/// @param from transport and peer for the error's text: "shm: process 4711"
/// @param bytes,tag length in bytes and tag of the message that arrived
/// @param capacity,wanted_tag length in bytes and tag of the receive that was posted
/// @throws Error(kProtocol) always
[[noreturn]] void refuse_message(const std::string& from, std::size_t bytes, std::int32_t tag,
                                 std::size_t capacity, std::int32_t wanted_tag);

}  // namespace collbench
