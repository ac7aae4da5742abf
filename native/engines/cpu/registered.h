#pragma once
// Memory with its registrations at the connections of each peer, made when first needed; a transport may need
// none (null).
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engines/cpu/connections.h"
#include "engines/cpu/memory.h"

namespace collbench::cpu {

class Registered {
 public:
  /// @param peers by rank; outlives this object
  explicit Registered(std::vector<Peer>& peers) : peers_(peers) {}
  ~Registered() { deregister(); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  /// Memory of its own. Never shrinks. Contents are lost where it grows.
  void reserve(std::size_t bytes);
  /// Memory of another, until the next call: a registration may have pinned it, so that it must not go
  /// before.
  void borrow(std::span<std::byte> memory);
  [[nodiscard]] std::byte* data() const noexcept { return memory_.data(); }
  [[nodiscard]] bool contains(const void* at, std::size_t bytes) const noexcept;
  /// With the connection that sends to `peer`, or that receives from it.
  MemoryRegion* to(int peer);
  MemoryRegion* from(int peer);

 private:
  void deregister() noexcept;

  std::vector<Peer>& peers_;
  Pages pages_;
  std::span<std::byte> memory_;  // what is registered
  std::vector<std::optional<MemoryRegion*>> to_, from_;
};

}  // namespace collbench::cpu
