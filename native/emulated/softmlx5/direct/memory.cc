// DEVX calls for umems and UAR pages.
#include <cerrno>

#include "emulated/softmlx5/direct/objects.h"
#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/objects.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5::direct {

Registry& Registry::get() {
  static auto& one = *new Registry;
  return one;
}

Umem* Registry::find(Owner owner, std::uint32_t id, std::uint64_t offset, std::uint64_t bytes) {
  const auto found = umems.find(id);
  if (found == umems.end() || found->second->owner != owner) return nullptr;
  Umem* umem = found->second;
  return offset <= umem->bytes && bytes <= umem->bytes - offset ? umem : nullptr;
}

Uar* Registry::find_uar(Owner owner, std::uint64_t page) {
  const auto found = uars.find(static_cast<std::uint32_t>(page));
  return found == uars.end() || found->second->owner != owner ? nullptr : found->second;
}

}  // namespace collbench::softmlx5::direct

namespace collbench::softmlx5::verbs::api {

using direct::Registry;
using direct::Uar;
using direct::Umem;

mlx5dv_devx_umem* mlx5dv_devx_umem_reg(ibv_context* context, void* addr, std::size_t size, std::uint32_t) {
  if (size == 0) return fail_with<mlx5dv_devx_umem>(EINVAL);
  const MemoryPlacement placed = memory_placement(addr, size);
  if (placed == MemoryPlacement::kNowhere) return fail_with<mlx5dv_devx_umem>(EFAULT);
  auto umem = std::make_unique<Umem>();
  umem->owner = context;
  umem->base = static_cast<std::byte*>(addr);
  umem->bytes = size;
  umem->on_gpu = placed == MemoryPlacement::kGpu;
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  umem->umem_id = ++registry.last_umem;
  registry.umems[umem->umem_id] = umem.get();
  return umem.release();
}

// A dma-buf has no address in this process; callers then register the virtual address instead.
mlx5dv_devx_umem* mlx5dv_devx_umem_reg_ex(ibv_context* context, mlx5dv_devx_umem_in* in) {
  if (in->comp_mask != 0) return fail_with<mlx5dv_devx_umem>(EOPNOTSUPP);
  return mlx5dv_devx_umem_reg(context, in->addr, in->size, in->access);
}

int mlx5dv_devx_umem_dereg(mlx5dv_devx_umem* handle) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  auto* umem = static_cast<Umem*>(handle);
  if (umem->users > 0) return fail(EINVAL);
  registry.umems.erase(umem->umem_id);
  delete umem;
  return 0;
}

mlx5dv_devx_uar* mlx5dv_devx_alloc_uar(ibv_context* context, std::uint32_t flags) {
  if (flags != kUarBlueFlame && flags != kUarNonCached) return fail_with<mlx5dv_devx_uar>(EOPNOTSUPP);
  auto uar = std::make_unique<Uar>();
  uar->owner = context;
  uar->page = allocate_pages(mlx5::kUarBytes);
  if (!uar->page) return fail_with<mlx5dv_devx_uar>(ENOMEM);
  uar->base_addr = uar->page.get();
  uar->reg_addr = uar->page.get() + mlx5::kDoorbellRegister;
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  uar->page_id = ++registry.last_uar;
  uar->mmap_off = static_cast<off_t>(uar->page_id) * mlx5::kUarBytes;
  registry.uars[uar->page_id] = uar.get();
  return uar.release();
}

void mlx5dv_devx_free_uar(mlx5dv_devx_uar* handle) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  auto* uar = static_cast<Uar*>(handle);
  if (uar->users > 0) return;  // like the driver: the page stays while a queue uses it
  registry.uars.erase(uar->page_id);
  delete uar;
}

int mlx5dv_devx_query_eqn(ibv_context*, std::uint32_t vector, std::uint32_t* eqn) {
  if (vector != 0) return fail(EINVAL);
  *eqn = 1;
  return 0;
}

}  // namespace collbench::softmlx5::verbs::api
