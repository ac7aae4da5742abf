#pragma once
// Memory of this process that the GPU gets to reach: pages of a card's queues, or registers of a card.
#include <cstddef>
#include <cstdint>

#include "cuda/driver_api.h"

namespace collbench::gpu {

class Mapping {
 public:
  /// @param is_io registers of a card, which want a driver that maps those of others
  /// @throws Error(kUnavailable) with what the driver says and what it needs
  Mapping(const cuda::DriverApi& driver, void* memory, std::size_t bytes, bool is_io);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  /// Where the GPU finds what lies at `at` in it.
  template <class Thing>
  [[nodiscard]] Thing* there(Thing* at) const noexcept {
    const auto offset = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(memory_);
    return reinterpret_cast<Thing*>(device_ + offset);
  }

 private:
  const cuda::DriverApi& driver_;
  void* const memory_;
  bool is_mine_ = true;
  std::uint64_t device_ = 0;
};

}  // namespace collbench::gpu
