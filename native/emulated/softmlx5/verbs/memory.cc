// Memory regions in host and device memory, found by virtual address.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/objects.h"

namespace collbench::softmlx5::verbs::api {
namespace {

constexpr unsigned kCardAccess =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
constexpr unsigned kUnderstood =
    kCardAccess | IBV_ACCESS_MW_BIND | IBV_ACCESS_HUGETLB | IBV_ACCESS_RELAXED_ORDERING;
// Bits 20 to 29 are hints that a library may ignore.
constexpr unsigned kHints = 0x3ff00000;
constexpr std::uintptr_t kPage = 4096;

/// True if the file descriptor is a dma-buf (memory exported by another driver).
bool is_dmabuf(int fd) {
  char target[64] = "";
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  return readlink(link.c_str(), target, sizeof target - 1) > 0 &&
         (std::strncmp(target, "/dmabuf:", 8) == 0 || std::strcmp(target, "anon_inode:dmabuf") == 0);
}

ibv_mr* register_region(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova, unsigned access) {
  if ((access & ~(kUnderstood | kHints)) != 0) return fail_with<ibv_mr>(EOPNOTSUPP);
  // Remote write or atomic rights require local write rights, because this side carries out the change.
  if ((access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0 &&
      (access & IBV_ACCESS_LOCAL_WRITE) == 0)
    return fail_with<ibv_mr>(EINVAL);
  if (length == 0 || length - 1 > UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(addr) ||
      length - 1 > UINT64_MAX - iova)
    return fail_with<ibv_mr>(EINVAL);
  // iova and address must have the same offset in their page, as the adapter's page tables require.
  if (((reinterpret_cast<std::uintptr_t>(addr) ^ iova) & (kPage - 1)) != 0) return fail_with<ibv_mr>(EINVAL);
  const MemoryPlacement placed = memory_placement(addr, length);
  if (placed == MemoryPlacement::kNowhere) return fail_with<ibv_mr>(EFAULT);
  auto region = std::make_unique<MemoryRegion>(pd);
  region->context = pd->context;
  region->addr = addr;
  region->length = length;
  Region wanted;
  wanted.base = static_cast<std::byte*>(addr);
  wanted.bytes = length;
  wanted.iova = iova;
  wanted.access = access & kCardAccess;
  wanted.domain = of(pd).number;
  wanted.on_gpu = placed == MemoryPlacement::kGpu;
  region->lkey = region->rkey = region->handle = card_of(pd->context).register_memory(wanted);
  if (region->lkey == 0) return fail_with<ibv_mr>(ENOMEM);
  return region.release();
}

}  // namespace

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* addr, std::size_t length, int access) {
  return register_region(pd, addr, length, reinterpret_cast<std::uintptr_t>(addr),
                         static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr_iova(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova, int access) {
  return register_region(pd, addr, length, iova, static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t iova, unsigned access) {
  return register_region(pd, addr, length, iova, access);
}

// A dma-buf has no address in this process; callers give the virtual address as iova. Callers with iova 0
// fall back to ibv_reg_mr_iova2, which names it. Without a valid descriptor the errno equals that of hardware
// with the feature, because callers use it to detect the feature.
ibv_mr* ibv_reg_dmabuf_mr(ibv_pd* pd, std::uint64_t, std::size_t length, std::uint64_t iova, int fd,
                          int access) {
  if (fd < 0 || fcntl(fd, F_GETFD) < 0) return fail_with<ibv_mr>(EBADF);
  if (!is_dmabuf(fd)) return fail_with<ibv_mr>(EINVAL);
  if (iova == 0) return fail_with<ibv_mr>(EOPNOTSUPP);
  return register_region(pd, reinterpret_cast<void*>(iova), length, iova, static_cast<unsigned>(access));
}

ibv_mr* mlx5dv_reg_dmabuf_mr(ibv_pd*, std::uint64_t, std::size_t, std::uint64_t, int, int, int) {
  return fail_with<ibv_mr>(EOPNOTSUPP);
}

int ibv_dereg_mr(ibv_mr* mr) {
  if (!card_of(mr->context).deregister_memory(mr->lkey)) return fail(EINVAL);
  delete static_cast<MemoryRegion*>(mr);
  return 0;
}

}  // namespace collbench::softmlx5::verbs::api
