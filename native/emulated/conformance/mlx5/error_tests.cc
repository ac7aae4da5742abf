#include <cstring>
#include <memory>

#include "emulated/conformance/mlx5/bench.h"

namespace collbench::conformance::mlx5 {
namespace error {
namespace {

/// Posts an invalid request. It must complete with one of the allowed statuses, put the queue pair into state
/// ERR, and later requests must be flushed.
void expect_error(ConnectedPair& link, ibv_send_wr request, std::initializer_list<ibv_wc_status> allowed) {
  expect_errno("post_send", {0}, link.a.post(request));
  const ibv_wc wc = link.a.next();
  bool is_allowed = false;
  std::string expected;
  for (const ibv_wc_status status : allowed) {
    is_allowed = is_allowed || wc.status == status;
    expected += (expected.empty() ? "status " : " or ") + std::to_string(status);
  }
  expect(is_allowed, expected, std::to_string(wc.status));
  expect_equal("id", request.wr_id, wc.wr_id);
  expect_equal("state ERR", static_cast<int>(IBV_QPS_ERR), static_cast<int>(link.a.state()));
  ibv_sge piece = link.a.memory.piece(0, 8);
  expect_errno("post_send after it", {0}, link.a.post(write_request(90, &piece, link.b.memory, 0)));
  link.a.next(90, IBV_WC_WR_FLUSH_ERR);
}

void wrong_local_key(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge piece = link.a.memory.piece(0, 8);
  piece.lkey ^= 0x5500;
  expect_error(link, write_request(1, &piece, link.b.memory, 0), {IBV_WC_LOC_PROT_ERR});
}

void local_bounds(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge piece = link.a.memory.piece(link.a.memory.bytes - 4, 8);
  expect_error(link, write_request(1, &piece, link.b.memory, 0), {IBV_WC_LOC_PROT_ERR});
}

void read_into_read_only(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  TestMemory fixed(bench, 4096, 0);
  ibv_sge piece = fixed.piece(0, 8);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.opcode = IBV_WR_RDMA_READ;
  expect_error(link, request, {IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_ACCESS_ERR});
}

void other_domain(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_pd* other = bench.lib.ibv_alloc_pd(bench.context);
  alignas(4096) static std::byte page[4096];
  ibv_mr* mr = bench.lib.ibv_reg_mr(other, page, sizeof page, kRights);
  ibv_sge piece = link.a.memory.piece(0, 8);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.wr.rdma.remote_addr = reinterpret_cast<std::uintptr_t>(page);
  request.wr.rdma.rkey = mr->rkey;
  expect_error(link, request, {IBV_WC_REM_ACCESS_ERR});
  bench.lib.ibv_dereg_mr(mr);
  bench.lib.ibv_dealloc_pd(other);
}

void wrong_remote_key(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge piece = link.a.memory.piece(0, 8);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.wr.rdma.rkey ^= 0x5500;
  expect_error(link, request, {IBV_WC_REM_ACCESS_ERR});
  expect(link.b.memory.data[0] == std::byte{}, "memory untouched", "written");
}

void remote_bounds(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  link.a.memory.fill(1, 0, 64);
  ibv_sge piece = link.a.memory.piece(0, 64);
  expect_error(link, write_request(1, &piece, link.b.memory, link.b.memory.bytes - 63),
               {IBV_WC_REM_ACCESS_ERR});
  expect(link.b.memory.data[link.b.memory.bytes - 63] == std::byte{}, "memory untouched", "written");
}

void address_wraps(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge piece = link.a.memory.piece(0, 64);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.wr.rdma.remote_addr = ~std::uint64_t{0} - 10;
  expect_error(link, request, {IBV_WC_REM_ACCESS_ERR});
}

void key_is_gone(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge piece = link.a.memory.piece(0, 8);
  const ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  link.b.memory.forget();
  expect_errno("post_send", {0}, link.a.post(request));
  link.a.next(1, IBV_WC_REM_ACCESS_ERR);
}

void region_without_right(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  TestMemory fixed(bench, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
  ibv_sge piece = link.a.memory.piece(0, 8);
  expect_error(link, write_request(1, &piece, fixed, 0), {IBV_WC_REM_ACCESS_ERR});
}

void queue_without_right(Mlx5Bench& bench) {
  EndSetup closed;
  closed.access = IBV_ACCESS_REMOTE_READ;
  ConnectedPair link(bench, {}, closed);
  ibv_sge piece = link.a.memory.piece(0, 8);
  expect_error(link, write_request(1, &piece, link.b.memory, 0),
               {IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_ACCESS_ERR});
}

void crooked_atomic(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge piece = link.a.memory.piece(0, 8);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  request.wr.atomic.remote_addr = link.b.memory.at(4);
  request.wr.atomic.compare_add = 1;
  request.wr.atomic.rkey = link.b.memory.mr->rkey;
  expect_error(link, request, {IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_ACCESS_ERR});
}

void receive_too_small(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  expect_errno("post_recv", {0}, link.b.post_receive(3, link.b.memory.piece(0, 10)));
  ibv_sge piece = link.a.memory.piece(0, 100);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.opcode = IBV_WR_SEND;
  expect_error(link, request, {IBV_WC_REM_INV_REQ_ERR});
  link.b.next(3, IBV_WC_LOC_LEN_ERR);
}

void source_is_gone(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  auto source = std::make_unique<TestMemory>(bench, 1 << 20);
  ibv_sge piece = source->piece(0, 1 << 20);
  TestMemory target(bench, 1 << 20);
  ibv_send_wr request = write_request(1, &piece, target, 0);
  request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  expect_errno("post_send", {0}, link.a.post(request));
  // The adapter finds no receive and waits.
  ibv_wc none{};
  for (int n = 0; n < 1'000; ++n)
    expect_equal("completions:", 0, link.a.cq->context->ops.poll_cq(link.a.cq, 1, &none));
  source.reset();
  expect_errno("post_recv", {0}, link.b.post_receive(2, {0, 0, 0}));
  link.a.next(1, IBV_WC_LOC_PROT_ERR);
}

void no_receive(Mlx5Bench& bench) {
  EndSetup impatient;
  impatient.receiver_retries = 0;
  ConnectedPair link(bench, impatient);
  ibv_sge piece = link.a.memory.piece(0, 8);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.opcode = IBV_WR_SEND;
  expect_error(link, request, {IBV_WC_RNR_RETRY_EXC_ERR});
}

void nobody_there(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  bench.lib.ibv_destroy_qp(link.b.qp);
  link.b.qp = nullptr;
  ibv_sge piece = link.a.memory.piece(0, 8);
  expect_error(link, write_request(1, &piece, link.b.memory, 0), {IBV_WC_RETRY_EXC_ERR});
}

void neighbours_stay_well(Mlx5Bench& bench) {
  ConnectedPair ill(bench), well(bench);
  ibv_sge piece = ill.a.memory.piece(0, 8);
  ibv_send_wr request = write_request(1, &piece, ill.b.memory, 0);
  request.wr.rdma.rkey ^= 0x5500;
  expect_error(ill, request, {IBV_WC_REM_ACCESS_ERR});
  well.a.memory.fill(5, 0, 1000);
  ibv_sge good = well.a.memory.piece(0, 1000);
  expect_errno("post_send", {0}, well.a.post(write_request(2, &good, well.b.memory, 0)));
  well.a.next(2, IBV_WC_SUCCESS);
  expect_bytes(well.a.memory.data, well.b.memory.data, 1000);
}

void healthy_again(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge piece = link.a.memory.piece(0, 8);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.wr.rdma.rkey ^= 0x5500;
  expect_errno("post_send", {0}, link.a.post(request));
  expect_errno("ERR or RTS to RESET", {0},
               (link.a.next(1, IBV_WC_REM_ACCESS_ERR), link.a.modify(IBV_QPS_RESET)));
  expect_errno("RESET of the peer", {0}, link.b.modify(IBV_QPS_RESET));
  link.a.connect(link.b.qp->qp_num, bench.port.lid);
  link.b.connect(link.a.qp->qp_num, bench.port.lid);
  link.a.memory.fill(1, 0, 8);
  expect_errno("post_send", {0}, link.a.post(write_request(2, &piece, link.b.memory, 0)));
  link.a.next(2, IBV_WC_SUCCESS);
  expect_bytes(link.a.memory.data, link.b.memory.data, 8);
}

constexpr Mlx5Test kTests[] = {
    {"a wrong local key is LOC_PROT_ERR", wrong_local_key},
    {"a local range past its region is LOC_PROT_ERR", local_bounds},
    {"READ into a region without LOCAL_WRITE is a local error", read_into_read_only},
    {"a key of another domain is REM_ACCESS_ERR", other_domain},
    {"a wrong remote key is REM_ACCESS_ERR", wrong_remote_key},
    {"a remote range past its region is REM_ACCESS_ERR and writes nothing", remote_bounds},
    {"a remote range past all addresses is REM_ACCESS_ERR", address_wraps},
    {"a key of a region that is gone is REM_ACCESS_ERR", key_is_gone},
    {"a region without REMOTE_WRITE is REM_ACCESS_ERR", region_without_right},
    {"a queue pair without REMOTE_WRITE refuses WRITE", queue_without_right},
    {"an atomic at an odd address is refused", crooked_atomic},
    {"a receive that is too small ends both sides", receive_too_small},
    {"memory that is gone when a receive comes for it is LOC_PROT_ERR", source_is_gone},
    {"no receive and no retries is RNR_RETRY_EXC_ERR", no_receive},
    {"a peer that is gone is RETRY_EXC_ERR", nobody_there},
    {"an error leaves other queue pairs alone", neighbours_stay_well},
    {"RESET makes a queue pair usable again", healthy_again},
};

}  // namespace
}  // namespace error

const std::span<const Mlx5Test> error_tests = error::kTests;

}  // namespace collbench::conformance::mlx5
