#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "emulated/conformance/mlx5/bench.h"

namespace collbench::conformance::mlx5 {
namespace memory {
namespace {

void keys_differ(Mlx5Bench& bench) {
  TestMemory one(bench, 4096), other(bench, 4096);
  expect(one.mr->rkey != other.mr->rkey, "two keys", "the same one twice");
  expect(one.mr->lkey != 0, "a key above 0", "0");
  expect_equal("length", one.bytes, one.mr->length);
}

/// Tries to register memory that must be refused. Returns the errno; 0 if the registration succeeded.
int refused(Mlx5Bench& bench, void* at, std::size_t bytes, int access) {
  errno = 0;
  ibv_mr* mr = bench.lib.ibv_reg_mr(bench.pd, at, bytes, access);
  return mr == nullptr ? errno : 0;
}

void no_memory(Mlx5Bench& bench) {
  // A page that was just unmapped may be mapped again by another thread, for a stack for example. The kernel
  // places nothing at this low address by itself.
  void* page = reinterpret_cast<void*>(kLowAddress);
  expect_errno("memory that is not mapped", {EFAULT}, refused(bench, page, 4096, kRights));
}

void nothing(Mlx5Bench& bench) {
  alignas(4096) static std::byte page[4096];
  expect_errno("0 bytes", {EINVAL}, refused(bench, page, 0, kRights));
}

void past_the_end(Mlx5Bench& bench) {
  alignas(4096) static std::byte page[4096];
  expect_errno("a range past the end of all addresses", {EINVAL, ENOMEM, EFAULT},
               refused(bench, page, SIZE_MAX - 4096, kRights));
}

void remote_without_local(Mlx5Bench& bench) {
  alignas(4096) static std::byte page[4096];
  expect_errno("REMOTE_WRITE without LOCAL_WRITE", {EINVAL},
               refused(bench, page, 4096, IBV_ACCESS_REMOTE_WRITE));
  expect_errno("REMOTE_ATOMIC without LOCAL_WRITE", {EINVAL},
               refused(bench, page, 4096, IBV_ACCESS_REMOTE_ATOMIC));
}

void domain_in_use(Mlx5Bench& bench) {
  ibv_pd* pd = bench.lib.ibv_alloc_pd(bench.context);
  alignas(4096) static std::byte page[4096];
  ibv_mr* mr = bench.lib.ibv_reg_mr(pd, page, sizeof page, IBV_ACCESS_LOCAL_WRITE);
  expect_errno("dealloc_pd with a region", {EBUSY}, bench.lib.ibv_dealloc_pd(pd));
  bench.lib.ibv_dereg_mr(mr);
  expect_errno("dealloc_pd after it", {0}, bench.lib.ibv_dealloc_pd(pd));
}

void other_addresses(Mlx5Bench& bench) {
  if (bench.lib.ibv_reg_mr_iova2 == nullptr) throw TestSkipped{"a library before IBVERBS_1.8"};
  ConnectedPair link(bench);
  TestMemory target(bench, 8192);
  ibv_mr* mr = bench.lib.ibv_reg_mr_iova2(bench.pd, target.data, target.bytes, 0, kRights);
  expect(mr != nullptr, "memory with addresses from 0", errno_text(errno));
  link.a.memory.fill(3, 0, 100);
  ibv_sge piece = link.a.memory.piece(0, 100);
  ibv_send_wr request = write_request(1, &piece, target, 0);
  request.wr.rdma.remote_addr = 5000;
  request.wr.rdma.rkey = mr->rkey;
  expect_errno("post_send", {0}, link.a.post(request));
  link.a.next(1, IBV_WC_SUCCESS);
  expect_bytes(link.a.memory.data, target.data + 5000, 100);
  bench.lib.ibv_dereg_mr(mr);
}

void page_offset(Mlx5Bench& bench) {
  if (bench.lib.ibv_reg_mr_iova2 == nullptr) throw TestSkipped{"a library before IBVERBS_1.8"};
  alignas(4096) static std::byte page[8192];
  errno = 0;
  ibv_mr* mr = bench.lib.ibv_reg_mr_iova2(bench.pd, page + 64, 4096, 0, kRights);
  expect_errno("an address and an iova at unlike places of their page", {EINVAL}, mr == nullptr ? errno : 0);
}

void dmabuf_without_descriptor(Mlx5Bench& bench) {
  if (bench.lib.ibv_reg_dmabuf_mr == nullptr) throw TestSkipped{"a library before IBVERBS_1.12"};
  errno = 0;
  ibv_mr* mr = bench.lib.ibv_reg_dmabuf_mr(bench.pd, 0, 4096, 0, -1, 0);
  expect_errno("descriptor -1", {EBADF, EOPNOTSUPP, EPROTONOSUPPORT}, mr == nullptr ? errno : 0);
}

void dmabuf_of_a_file(Mlx5Bench& bench) {
  if (bench.lib.ibv_reg_dmabuf_mr == nullptr) throw TestSkipped{"a library before IBVERBS_1.12"};
  alignas(4096) static std::byte page[4096];
  const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  errno = 0;
  ibv_mr* mr = bench.lib.ibv_reg_dmabuf_mr(bench.pd, 0, sizeof page, reinterpret_cast<std::uintptr_t>(page),
                                           fd, kRights);
  const int error = mr == nullptr ? errno : 0;
  close(fd);
  expect_errno("a descriptor that is no dma-buf", {EINVAL, EOPNOTSUPP, EPROTONOSUPPORT}, error);
}

constexpr Mlx5Test kTests[] = {
    {"each region has a key of its own", keys_differ},
    {"memory that is not mapped is EFAULT", no_memory},
    {"0 bytes are EINVAL", nothing},
    {"a range past all addresses is refused", past_the_end},
    {"rights of peers need LOCAL_WRITE", remote_without_local},
    {"a domain with a region is EBUSY", domain_in_use},
    {"regions may have addresses of their own (iova)", other_addresses},
    {"an iova must lie in its page where the address does", page_offset},
    {"ibv_reg_dmabuf_mr without a descriptor says whether it is offered", dmabuf_without_descriptor},
    {"ibv_reg_dmabuf_mr refuses what is no dma-buf", dmabuf_of_a_file},
};

}  // namespace
}  // namespace memory

const std::span<const Mlx5Test> memory_tests = memory::kTests;

}  // namespace collbench::conformance::mlx5
