#pragma once
// Objects that DEVX commands name by number: umems, UAR pages, and objects made from them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "emulated/softmlx5/verbs/objects.h"
#include "vendor_api/mlx5/devx.h"

namespace collbench::softmlx5::direct {

/// Memory that a program registered by mlx5dv_devx_umem_reg, for queues and doorbell records.
struct Umem : rdma::mlx5dv_devx_umem {
  Owner owner = nullptr;
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  bool on_gpu = false;
  unsigned users = 0;  // objects that use this memory
};

/// One page of doorbell registers (UAR page).
struct Uar : rdma::mlx5dv_devx_uar {
  Owner owner = nullptr;
  verbs::Pages page;
  unsigned users = 0;
};

/// The umems (registered memory) and doorbell pages of all opened devices of the process. Their numbers are
/// unique in the process, but only the device that made an object may use it.
class Registry {
 public:
  static Registry& get();

  std::mutex mutex;  // guards all members below
  std::map<std::uint32_t, Umem*> umems;
  std::map<std::uint32_t, Uar*> uars;
  std::uint32_t last_umem = 0, last_uar = 0;

  /// Returns the umem with this id that `owner` (an opened device) registered. nullptr if there is none, or
  /// if [offset, offset + bytes) does not lie inside it.
  Umem* find(Owner owner, std::uint32_t id, std::uint64_t offset, std::uint64_t bytes);
  /// Returns the doorbell page with this number that `owner` (an opened device) made; nullptr = none.
  Uar* find_uar(Owner owner, std::uint64_t page);
};

}  // namespace collbench::softmlx5::direct

namespace collbench::rdma {

/// A completion queue or queue pair that was created by a DEVX command.
struct mlx5dv_devx_obj {
  enum class ObjectKind { kCompletionQueue, kQueuePair };
  ObjectKind kind = ObjectKind::kCompletionQueue;
  softmlx5::Card* card = nullptr;
  softmlx5::Owner owner = nullptr;
  std::uint32_t number = 0;
  std::array<softmlx5::direct::Umem*, 2> umems{};  // umems of the ring and of the doorbell record
  softmlx5::direct::Uar* uar = nullptr;
  std::array<std::byte, devx::kQpcBytes> context{};  // context of a queue pair, as set so far
};

}  // namespace collbench::rdma
