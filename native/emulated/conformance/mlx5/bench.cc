#include "emulated/conformance/mlx5/bench.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace collbench::conformance::mlx5 {
namespace {

constexpr std::uint8_t kPort = 1;

}  // namespace

Mlx5Bench::Mlx5Bench(const std::string& library_path)
    : path(library_path), lib(VerbsLibrary::open(library_path)) {
  int count = 0;
  list = lib.ibv_get_device_list(&count);
  for (int n = 0; n < count && device == nullptr; ++n)
    if (lib.mlx5dv_is_supported(list[n])) device = list[n];
  if (device == nullptr)
    throw TestSkipped{"no mlx5 device: " + std::to_string(count) + " devices in the list"};
  context = lib.ibv_open_device(device);
  expect(context != nullptr, "the device opens", errno_text(errno));
  pd = lib.ibv_alloc_pd(context);
  expect(pd != nullptr, "a protection domain", errno_text(errno));
  const int error = extended(context)->query_port(context, kPort, &port, sizeof port);
  expect(error == 0, "port 1 answers", errno_text(error));
  lib.ibv_query_gid(context, kPort, 0, &gid);
  if (port.state != IBV_PORT_ACTIVE) throw TestSkipped{"port 1 is not active"};
}

Mlx5Bench::~Mlx5Bench() {
  if (pd != nullptr) lib.ibv_dealloc_pd(pd);
  if (context != nullptr) lib.ibv_close_device(context);
  if (list != nullptr) lib.ibv_free_device_list(list);
}

OtherContext::OtherContext(Mlx5Bench& its_bench)
    : bench(its_bench), context(its_bench.lib.ibv_open_device(its_bench.device)) {
  expect(context != nullptr, "the device opens once more", errno_text(errno));
  pd = bench.lib.ibv_alloc_pd(context);
  expect(pd != nullptr, "a protection domain", errno_text(errno));
}

OtherContext::~OtherContext() {
  bench.lib.ibv_dealloc_pd(pd);
  bench.lib.ibv_close_device(context);
}

TestMemory::TestMemory(Mlx5Bench& bench, std::size_t size, int access) : bytes(size), bench_(bench) {
  constexpr std::size_t kPage = 4096;
  data = static_cast<std::byte*>(std::aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage));
  std::memset(data, 0, size);
  mr = bench.lib.ibv_reg_mr(bench.pd, data, size, access);
  expect(mr != nullptr, "memory registers", errno_text(errno));
}

TestMemory::~TestMemory() {
  forget();
  std::free(data);
}

void TestMemory::forget() {
  if (mr != nullptr) bench_.lib.ibv_dereg_mr(mr);
  mr = nullptr;
}

void TestMemory::fill(unsigned seed, std::size_t begin, std::size_t count) {
  fill_pattern(data + begin, count, seed);
}

TestQueuePair::TestQueuePair(Mlx5Bench& its_bench, const EndSetup& its_setup, std::size_t bytes)
    : bench(its_bench), setup(its_setup), memory(its_bench, bytes) {
  cq = bench.lib.ibv_create_cq(bench.context, static_cast<int>(setup.send_wr + setup.recv_wr) + 1, nullptr,
                               nullptr, 0);
  expect(cq != nullptr, "a completion queue", errno_text(errno));
  ibv_qp_init_attr attr{};
  attr.send_cq = attr.recv_cq = cq;
  attr.srq = setup.srq;
  attr.qp_type = IBV_QPT_RC;
  attr.sq_sig_all = setup.signal_all ? 1 : 0;
  attr.cap = {setup.send_wr, setup.recv_wr, setup.pieces, setup.pieces, setup.inline_bytes};
  qp = bench.lib.ibv_create_qp(bench.pd, &attr);
  expect(qp != nullptr, "a queue pair", errno_text(errno));
}

TestQueuePair::~TestQueuePair() {
  if (qp != nullptr) bench.lib.ibv_destroy_qp(qp);
  if (cq != nullptr) bench.lib.ibv_destroy_cq(cq);
}

int TestQueuePair::modify(ibv_qp_state state, int mask) {
  ibv_qp_attr attr{};
  attr.qp_state = state;
  attr.port_num = kPort;
  attr.qp_access_flags = setup.access;
  return bench.lib.ibv_modify_qp(qp, &attr, mask);
}

void TestQueuePair::init() {
  const int error =
      modify(IBV_QPS_INIT, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  expect_errno("RESET to INIT", {0}, error);
}

int TestQueuePair::ready_to_receive(std::uint32_t remote_queue, std::uint16_t remote_lid) {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTR;
  attr.path_mtu = IBV_MTU_1024;
  attr.dest_qp_num = remote_queue;
  attr.max_dest_rd_atomic = 1;
  attr.min_rnr_timer = 1;
  attr.ah_attr.dlid = remote_lid;
  attr.ah_attr.port_num = kPort;
  if (bench.port.link_layer == IBV_LINK_LAYER_ETHERNET) {
    attr.ah_attr.is_global = 1;
    attr.ah_attr.grh.dgid = bench.gid;
    attr.ah_attr.grh.hop_limit = 1;
  }
  return bench.lib.ibv_modify_qp(qp, &attr,
                                 IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

int TestQueuePair::ready_to_send() {
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_RTS;
  attr.timeout = 10;
  attr.retry_cnt = 3;
  attr.rnr_retry = setup.receiver_retries;
  attr.max_rd_atomic = 1;
  return bench.lib.ibv_modify_qp(qp, &attr,
                                 IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

void TestQueuePair::connect(std::uint32_t remote_queue, std::uint16_t remote_lid) {
  init();
  expect_errno("INIT to RTR", {0}, ready_to_receive(remote_queue, remote_lid));
  expect_errno("RTR to RTS", {0}, ready_to_send());
}

ibv_qp_state TestQueuePair::state() const {
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  const int error = bench.lib.ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
  expect_errno("ibv_query_qp", {0}, error);
  return attr.qp_state;
}

int TestQueuePair::post(ibv_send_wr request) {
  ibv_send_wr* bad = nullptr;
  return qp->context->ops.post_send(qp, &request, &bad);
}

int TestQueuePair::post_receive(std::uint64_t id, ibv_sge piece) {
  ibv_recv_wr request{id, nullptr, &piece, piece.length == 0 ? 0 : 1};
  ibv_recv_wr* bad = nullptr;
  return qp->context->ops.post_recv(qp, &request, &bad);
}

ibv_wc TestQueuePair::next() {
  ibv_wc wc{};
  const WaitLimit limit;
  do {
    const int count = cq->context->ops.poll_cq(cq, 1, &wc);
    expect(count >= 0, "poll_cq answers", std::to_string(count));
    if (count == 1) return wc;
  } while (!limit.is_over());
  throw TestFailure{"a completion", "none within 5 s"};
}

ibv_wc TestQueuePair::next(std::uint64_t id, ibv_wc_status status) {
  const ibv_wc wc = next();
  const auto text = [](std::uint64_t wr_id, ibv_wc_status its) {
    return "completion " + std::to_string(wr_id) + " with status " + std::to_string(its);
  };
  expect(wc.wr_id == id && wc.status == status, text(id, status), text(wc.wr_id, wc.status));
  return wc;
}

ConnectedPair::ConnectedPair(Mlx5Bench& bench, const EndSetup& a_setup, const EndSetup& b_setup)
    : a(bench, a_setup), b(bench, b_setup) {
  a.connect(b.qp->qp_num, bench.port.lid);
  b.connect(a.qp->qp_num, bench.port.lid);
}

ibv_send_wr write_request(std::uint64_t id, ibv_sge* piece, const TestMemory& to, std::size_t offset) {
  ibv_send_wr request{};
  request.wr_id = id;
  request.sg_list = piece;
  request.num_sge = piece == nullptr ? 0 : 1;
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.rdma.remote_addr = to.at(offset);
  request.wr.rdma.rkey = to.mr->rkey;
  return request;
}

}  // namespace collbench::conformance::mlx5
