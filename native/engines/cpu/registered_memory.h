#pragma once
// Memory with one registration per peer and direction, made when first needed. A transport may need none
// (null).
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/memory.h"

namespace collbench::cpu {

class RegisteredMemory {
 public:
  /// @param peers by rank; must outlive this object
  explicit RegisteredMemory(std::vector<PeerConnections>& peers) : peers_(peers) {}
  ~RegisteredMemory() { deregister(); }
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;

  /// Allocates own memory of at least `bytes`. Never shrinks; contents are lost when it grows.
  void reserve(std::size_t bytes);
  /// Uses another owner's memory until the next call. A registration may pin the memory, so it must not be
  /// freed earlier.
  void use_memory(std::span<std::byte> memory);
  [[nodiscard]] std::byte* data() const noexcept { return memory_.data(); }
  [[nodiscard]] bool contains(const void* at, std::size_t bytes) const noexcept;
  /// to() returns the registration with the connection that sends to `peer`, from() with the one that
  /// receives from it.
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
