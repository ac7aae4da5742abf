#pragma once
// What DEVX commands name by number: umems, UAR pages, and the objects made of them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "softmlx5/include/devx.h"
#include "softmlx5/verbs/objects.h"

namespace collbench::softmlx5::direct {

/// Registered memory that queues and doorbell records lie in.
struct Umem : rdma::mlx5dv_devx_umem {
  Owner owner = nullptr;
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  bool on_gpu = false;
  unsigned users = 0;  // objects that lie in it
};

/// A page of doorbell registers.
struct Uar : rdma::mlx5dv_devx_uar {
  Owner owner = nullptr;
  verbs::Pages page;
  unsigned users = 0;
};

/// All of the process: contexts share the card, and so the numbers. What a number names is for its owner
/// alone.
class Registry {
 public:
  static Registry& get();

  std::mutex mutex;  // of all below
  std::map<std::uint32_t, Umem*> umems;
  std::map<std::uint32_t, Uar*> uars;
  std::uint32_t last_umem = 0, last_uar = 0;

  /// The umem of this owner where [offset, offset + bytes) lies inside it, or nullptr.
  Umem* find(Owner owner, std::uint32_t id, std::uint64_t offset, std::uint64_t bytes);
  /// The page of this owner, or nullptr.
  Uar* find_uar(Owner owner, std::uint64_t page);
};

}  // namespace collbench::softmlx5::direct

namespace collbench::rdma {

/// A DEVX object: a completion queue or a queue pair.
struct mlx5dv_devx_obj {
  enum class Kind { kCompletionQueue, kQueuePair };
  Kind kind = Kind::kCompletionQueue;
  softmlx5::Card* card = nullptr;
  softmlx5::Owner owner = nullptr;
  std::uint32_t number = 0;
  std::array<softmlx5::direct::Umem*, 2> umems{};  // ring, doorbell record
  softmlx5::direct::Uar* uar = nullptr;
  std::array<std::byte, devx::kQpcBytes> context{};  // of a queue pair, as set so far
};

}  // namespace collbench::rdma
