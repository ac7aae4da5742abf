#include <algorithm>
#include <atomic>
#include <cstring>

#include "emulated/conformance/mlx5/bench.h"

namespace collbench::conformance::mlx5 {
namespace data {
namespace {

constexpr std::uint32_t kImmediate = 0x12345678;

void write_bytes(Mlx5Bench& bench, std::uint32_t bytes, unsigned flags) {
  ConnectedPair link(bench);
  link.a.memory.fill(bytes, 0, bytes);
  ibv_sge piece = link.a.memory.piece(0, bytes);
  ibv_send_wr request = write_request(5, &piece, link.b.memory, 100);
  request.send_flags |= flags;
  expect_errno("post_send", {0}, link.a.post(request));
  if ((flags & IBV_SEND_INLINE) != 0) link.a.memory.fill(99, 0, bytes);  // the call has copied inline data
  const ibv_wc wc = link.a.next(5, IBV_WC_SUCCESS);
  expect_equal("opcode RDMA_WRITE", static_cast<int>(IBV_WC_RDMA_WRITE), static_cast<int>(wc.opcode));
  expect_equal("queue number", link.a.qp->qp_num, wc.qp_num);
  link.a.memory.fill(bytes, 0, bytes);
  expect_bytes(link.a.memory.data, link.b.memory.data + 100, bytes);
  expect(link.b.memory.data[99] == std::byte{} && link.b.memory.data[100 + bytes] == std::byte{},
         "neighbours untouched", "written");
}

void writes(Mlx5Bench& bench) {
  for (const std::uint32_t bytes : {1U, 4U, 8U, 63U, 1024U, 4097U, 60000U}) write_bytes(bench, bytes, 0);
}
void inline_writes(Mlx5Bench& bench) {
  for (const std::uint32_t bytes : {1U, 12U, 28U, 60U, 64U}) write_bytes(bench, bytes, IBV_SEND_INLINE);
}

void empty_write(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  expect_errno("post_send", {0}, link.a.post(write_request(1, nullptr, link.b.memory, 0)));
  link.a.next(1, IBV_WC_SUCCESS);
}

void big_write(Mlx5Bench& bench) {
  constexpr std::size_t kBytes = (8 << 20) + 13;
  ConnectedPair link(bench);
  TestMemory from(bench, kBytes), to(bench, kBytes);
  from.fill(1, 0, kBytes);
  ibv_sge piece = from.piece(0, kBytes);
  expect_errno("post_send", {0}, link.a.post(write_request(1, &piece, to, 0)));
  link.a.next(1, IBV_WC_SUCCESS);
  expect_bytes(from.data, to.data, kBytes);
}

void reads(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  for (const std::uint32_t bytes : {1U, 8U, 4097U, 60000U}) {
    link.b.memory.fill(bytes, 0, bytes);
    ibv_sge piece = link.a.memory.piece(0, bytes);
    ibv_send_wr request = write_request(bytes, &piece, link.b.memory, 0);
    request.opcode = IBV_WR_RDMA_READ;
    expect_errno("post_send", {0}, link.a.post(request));
    const ibv_wc wc = link.a.next(bytes, IBV_WC_SUCCESS);
    expect_equal("opcode RDMA_READ", static_cast<int>(IBV_WC_RDMA_READ), static_cast<int>(wc.opcode));
    expect_bytes(link.b.memory.data, link.a.memory.data, bytes);
  }
}

void pieces(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  link.a.memory.fill(7, 0, 3000);
  ibv_sge list[] = {link.a.memory.piece(0, 1), link.a.memory.piece(1000, 999),
                    link.a.memory.piece(2500, 500)};
  ibv_send_wr request = write_request(1, list, link.b.memory, 0);
  request.num_sge = 3;
  expect_errno("post_send", {0}, link.a.post(request));
  link.a.next(1, IBV_WC_SUCCESS);
  expect_bytes(link.a.memory.data, link.b.memory.data, 1);
  expect_bytes(link.a.memory.data + 1000, link.b.memory.data + 1, 999);
  expect_bytes(link.a.memory.data + 2500, link.b.memory.data + 1000, 500);
  request.opcode = IBV_WR_RDMA_READ;
  std::memset(link.a.memory.data, 0, 3000);
  expect_errno("post_send", {0}, link.a.post(request));
  link.a.next(1, IBV_WC_SUCCESS);
  expect_bytes(link.b.memory.data + 1000, link.a.memory.data + 2500, 500);
}

void sends(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  link.a.memory.fill(2, 0, 500);
  ibv_sge piece = link.a.memory.piece(0, 500);
  for (const bool with_immediate : {false, true}) {
    expect_errno("post_recv", {0}, link.b.post_receive(40, link.b.memory.piece(1000, 600)));
    ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
    request.opcode = with_immediate ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
    request.imm_data = kImmediate;
    expect_errno("post_send", {0}, link.a.post(request));
    const ibv_wc sent = link.a.next(1, IBV_WC_SUCCESS);
    expect_equal("opcode SEND", static_cast<int>(IBV_WC_SEND), static_cast<int>(sent.opcode));
    const ibv_wc wc = link.b.next(40, IBV_WC_SUCCESS);
    expect_equal("opcode RECV", static_cast<int>(IBV_WC_RECV), static_cast<int>(wc.opcode));
    expect_equal("bytes received", 500U, wc.byte_len);
    expect_equal("immediate data there", with_immediate, (wc.wc_flags & IBV_WC_WITH_IMM) != 0);
    if (with_immediate) expect_equal("immediate data", kImmediate, wc.imm_data);
    expect_bytes(link.a.memory.data, link.b.memory.data + 1000, 500);
  }
}

void send_before_receive(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  link.a.memory.fill(2, 0, 64);
  ibv_sge piece = link.a.memory.piece(0, 64);
  ibv_send_wr request = write_request(1, &piece, link.b.memory, 0);
  request.opcode = IBV_WR_SEND;
  expect_errno("post_send", {0}, link.a.post(request));
  expect_errno("post_recv", {0}, link.b.post_receive(9, link.b.memory.piece(0, 64)));
  link.b.next(9, IBV_WC_SUCCESS);
  link.a.next(1, IBV_WC_SUCCESS);
  expect_bytes(link.a.memory.data, link.b.memory.data, 64);
}

void write_with_immediate(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  link.a.memory.fill(4, 0, 300);
  for (const std::uint32_t bytes : {0U, 300U}) {
    expect_errno("post_recv", {0}, link.b.post_receive(8, {0, 0, 0}));
    ibv_sge piece = link.a.memory.piece(0, bytes);
    ibv_send_wr request = write_request(1, bytes == 0 ? nullptr : &piece, link.b.memory, 50);
    request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    request.imm_data = kImmediate;
    expect_errno("post_send", {0}, link.a.post(request));
    link.a.next(1, IBV_WC_SUCCESS);
    const ibv_wc wc = link.b.next(8, IBV_WC_SUCCESS);
    expect_equal("opcode RECV_RDMA_WITH_IMM", static_cast<int>(IBV_WC_RECV_RDMA_WITH_IMM),
                 static_cast<int>(wc.opcode));
    expect_equal("immediate data", kImmediate, wc.imm_data);
    expect_equal("bytes written", bytes, wc.byte_len);
    expect_bytes(link.a.memory.data, link.b.memory.data + 50, bytes);
  }
}

void atomics(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  auto* word = reinterpret_cast<std::uint64_t*>(link.b.memory.data + 64);
  auto* before = reinterpret_cast<std::uint64_t*>(link.a.memory.data);
  ibv_sge piece = link.a.memory.piece(0, 8);
  ibv_send_wr request{};
  request.wr_id = 1;
  request.sg_list = &piece;
  request.num_sge = 1;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.atomic.remote_addr = link.b.memory.at(64);
  request.wr.atomic.rkey = link.b.memory.mr->rkey;
  *word = 40;
  request.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  request.wr.atomic.compare_add = 2;
  expect_errno("post_send", {0}, link.a.post(request));
  expect_equal("opcode FETCH_ADD", static_cast<int>(IBV_WC_FETCH_ADD),
               static_cast<int>(link.a.next(1, IBV_WC_SUCCESS).opcode));
  expect_equal("sum", 42U, *word);
  expect_equal("value before", 40U, *before);
  request.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
  request.wr.atomic.compare_add = 42;
  request.wr.atomic.swap = 7;
  expect_errno("post_send", {0}, link.a.post(request));
  expect_equal("opcode COMP_SWAP", static_cast<int>(IBV_WC_COMP_SWAP),
               static_cast<int>(link.a.next(1, IBV_WC_SUCCESS).opcode));
  expect_equal("value swapped in", 7U, *word);
  expect_equal("value before", 42U, *before);
  expect_errno("post_send", {0}, link.a.post(request));
  link.a.next(1, IBV_WC_SUCCESS);
  expect_equal("value after a comparison that failed", 7U, *word);
}

void unsignalled(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge piece = link.a.memory.piece(0, 8);
  for (std::uint64_t id = 0; id < 10; ++id) {
    link.a.memory.fill(static_cast<unsigned>(id), 0, 8);
    ibv_send_wr request = write_request(id, &piece, link.b.memory, 0);
    request.send_flags = IBV_SEND_INLINE;
    if (id == 9) request.send_flags |= IBV_SEND_SIGNALED;
    expect_errno("post_send", {0}, link.a.post(request));
  }
  link.a.next(9, IBV_WC_SUCCESS);
  expect_bytes(link.a.memory.data, link.b.memory.data, 8);
}

void around_the_ring(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  std::uint64_t next = 0;
  for (std::uint64_t id = 0; id < 20'000; ++id) {
    const auto bytes = static_cast<std::uint32_t>(id % 64 + 1);
    link.a.memory.fill(static_cast<unsigned>(id), 0, bytes);
    ibv_sge piece = link.a.memory.piece(0, bytes);
    ibv_send_wr request = write_request(id, &piece, link.b.memory, 64 * (id % 512));
    request.send_flags |= IBV_SEND_INLINE;
    expect_errno("post_send", {0}, link.a.post(request));
    if (id - next >= link.a.setup.send_wr / 2) link.a.next(next++, IBV_WC_SUCCESS);
  }
  while (next < 20'000) link.a.next(next++, IBV_WC_SUCCESS);
  expect_bytes(link.a.memory.data, link.b.memory.data + std::size_t{64} * (19'999 % 512), 19'999 % 64 + 1);
}

void flag_after_data(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  const std::atomic_ref flag(*reinterpret_cast<std::uint64_t*>(link.b.memory.data));
  for (std::uint64_t round = 1; round <= 200; ++round) {
    link.a.memory.fill(static_cast<unsigned>(round), 64, 32'000);
    std::memcpy(link.a.memory.data, &round, 8);
    ibv_sge data = link.a.memory.piece(64, 32'000), word = link.a.memory.piece(0, 8);
    ibv_send_wr request = write_request(1, &data, link.b.memory, 64);
    request.send_flags = 0;
    expect_errno("post_send", {0}, link.a.post(request));
    expect_errno("post_send", {0}, link.a.post(write_request(2, &word, link.b.memory, 0)));
    bool is_complete = false;
    while (flag.load(std::memory_order_acquire) != round && !is_complete) {
      ibv_wc wc{};
      is_complete = link.a.cq->context->ops.poll_cq(link.a.cq, 1, &wc) == 1;
      expect(!is_complete || wc.status == IBV_WC_SUCCESS, "success", "status " + std::to_string(wc.status));
    }
    expect(flag.load(std::memory_order_acquire) == round, "the flag before its completion", "later");
    const std::string wrong = difference(link.a.memory.data + 64, link.b.memory.data + 64, 32'000);
    expect(wrong.empty(), "all data once the flag is seen", wrong);
    if (!is_complete) link.a.next(2, IBV_WC_SUCCESS);
  }
}

void shared_receives(Mlx5Bench& bench) {
  ibv_srq_init_attr attr{nullptr, {16, 1, 0}};
  ibv_srq* srq = bench.lib.ibv_create_srq(bench.pd, &attr);
  EndSetup setup;
  setup.srq = srq;
  {
    ConnectedPair one(bench, {}, setup), other(bench, {}, setup);
    ibv_sge pieces[2] = {one.b.memory.piece(0, 64), one.b.memory.piece(64, 64)};
    for (std::uint64_t id = 0; id < 2; ++id) {
      ibv_recv_wr receive{id + 70, nullptr, &pieces[id], 1};
      ibv_recv_wr* bad = nullptr;
      expect_errno("post_srq_recv", {0}, srq->context->ops.post_srq_recv(srq, &receive, &bad));
    }
    unsigned seed = 0;
    for (ConnectedPair* link : {&one, &other}) {
      link->a.memory.fill(++seed, 0, 64);
      ibv_sge piece = link->a.memory.piece(0, 64);
      ibv_send_wr request = write_request(1, &piece, link->b.memory, 0);
      request.opcode = IBV_WR_SEND;
      expect_errno("post_send", {0}, link->a.post(request));
      link->a.next(1, IBV_WC_SUCCESS);
      const ibv_wc wc = link->b.next();
      expect_equal("receive in order,", 70U + seed - 1, wc.wr_id);
      expect_equal("queue number", link->b.qp->qp_num, wc.qp_num);
      expect_bytes(link->a.memory.data, one.b.memory.data + 64 * (seed - 1), 64);
    }
  }
  bench.lib.ibv_destroy_srq(srq);
}

void to_itself(Mlx5Bench& bench) {
  TestQueuePair end(bench);
  end.connect(end.qp->qp_num, bench.port.lid);
  end.memory.fill(1, 0, 64);
  ibv_sge piece = end.memory.piece(1000, 1);
  ibv_send_wr request = write_request(1, &piece, end.memory, 0);
  request.opcode = IBV_WR_RDMA_READ;
  expect_errno("post_send", {0}, end.post(request));
  end.next(1, IBV_WC_SUCCESS);
  expect_bytes(end.memory.data, end.memory.data + 1000, 1);
}

constexpr Mlx5Test kTests[] = {
    {"WRITE of 1 to 60000 bytes arrives, and nothing beside it", writes},
    {"inline WRITE is copied by the call", inline_writes},
    {"WRITE of 0 bytes completes", empty_write},
    {"WRITE of 8 MiB and 13 bytes arrives", big_write},
    {"READ brings the remote bytes", reads},
    {"pieces are gathered and scattered in order", pieces},
    {"SEND fills a receive, with and without immediate data", sends},
    {"SEND waits for a receive", send_before_receive},
    {"WRITE with immediate data takes a receive and fills none", write_with_immediate},
    {"atomics give the value before and change it once", atomics},
    {"only signalled requests complete", unsignalled},
    {"20000 requests go around the ring in order", around_the_ring},
    {"a flag written after data is seen after it", flag_after_data},
    {"a shared receive queue serves two queue pairs in order", shared_receives},
    {"a queue pair may be connected to itself", to_itself},
};

}  // namespace
}  // namespace data

const std::span<const Mlx5Test> data_tests = data::kTests;

}  // namespace collbench::conformance::mlx5
