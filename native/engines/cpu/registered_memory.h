#pragma once
// Memory for messages, registered with the transport separately for each peer and direction when a message
// first needs it.
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/memory.h"

namespace collbench::cpu {

class RegisteredMemory {
 public:
  /// @param peers connections to register the memory with, indexed by rank; must outlive this object
  explicit RegisteredMemory(std::vector<PeerConnections>& peers) : peers_(peers) {}
  ~RegisteredMemory() { deregister(); }
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;

  /// Allocates at least `bytes` of memory that this object owns. The memory never shrinks; contents are lost
  /// when it grows.
  void reserve(std::size_t bytes);
  /// Uses memory of the caller until the next call of use_memory() or reserve(). The caller must not free
  /// it before, because a registration may pin it.
  void use_memory(std::span<std::byte> memory);
  [[nodiscard]] std::byte* data() const noexcept { return memory_.data(); }
  [[nodiscard]] bool contains(const void* at, std::size_t bytes) const noexcept;
  /// to() returns the registration of this memory for messages to `peer`, from() the one for messages from
  /// `peer`. Each is made at its first use. Null if the transport needs none.
  MemoryRegion* to(int peer);
  MemoryRegion* from(int peer);

 private:
  void deregister() noexcept;

  std::vector<PeerConnections>& peers_;
  Pages pages_;
  std::span<std::byte> memory_;  // The registered memory.
  std::vector<std::optional<MemoryRegion*>> to_, from_;
};

}  // namespace collbench::cpu
