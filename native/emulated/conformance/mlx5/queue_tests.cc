#include <cerrno>

#include "emulated/conformance/mlx5/bench.h"

namespace collbench::conformance::mlx5 {
namespace queue {
namespace {

void completion_queue_limits(Mlx5Bench& bench) {
  errno = 0;
  expect(bench.lib.ibv_create_cq(bench.context, 0, nullptr, nullptr, 0) == nullptr, "no queue of 0 entries",
         "one");
  expect_errno("0 entries", {EINVAL}, errno);
  ibv_cq* cq = bench.lib.ibv_create_cq(bench.context, 100, nullptr, nullptr, 0);
  expect(cq != nullptr && cq->cqe >= 100, "at least 100 entries",
         cq == nullptr ? "none" : std::to_string(cq->cqe));
  ibv_wc wc{};
  expect_equal("completions of an empty queue:", 0, cq->context->ops.poll_cq(cq, 1, &wc));
  expect_errno("ibv_destroy_cq", {0}, bench.lib.ibv_destroy_cq(cq));
}

void completion_queue_in_use(Mlx5Bench& bench) {
  TestQueuePair end(bench);
  expect_errno("ibv_destroy_cq while a queue pair uses it", {EBUSY}, bench.lib.ibv_destroy_cq(end.cq));
}

void room_for_what_was_asked(Mlx5Bench& bench) {
  TestQueuePair end(bench);
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  expect_errno("ibv_query_qp", {0}, bench.lib.ibv_query_qp(end.qp, &attr, IBV_QP_CAP, &init));
  expect(init.cap.max_send_wr >= end.setup.send_wr && init.cap.max_recv_wr >= end.setup.recv_wr,
         "room for 64 requests each way",
         std::to_string(init.cap.max_send_wr) + " and " + std::to_string(init.cap.max_recv_wr));
  expect(init.cap.max_inline_data >= end.setup.inline_bytes, "64 inline bytes",
         std::to_string(init.cap.max_inline_data));
}

void too_many_requests(Mlx5Bench& bench) {
  ibv_cq* cq = bench.lib.ibv_create_cq(bench.context, 16, nullptr, nullptr, 0);
  ibv_qp_init_attr attr{};
  attr.send_cq = attr.recv_cq = cq;
  attr.qp_type = IBV_QPT_RC;
  attr.cap = {1U << 24, 1, 1, 1, 0};
  errno = 0;
  ibv_qp* qp = bench.lib.ibv_create_qp(bench.pd, &attr);
  expect_errno("room for 16 million requests", {EINVAL, ENOMEM}, qp == nullptr ? errno : 0);
  bench.lib.ibv_destroy_cq(cq);
}

void parts_of_another_context(Mlx5Bench& bench) {
  const OtherContext other(bench);
  ibv_cq* cq = bench.lib.ibv_create_cq(other.context, 16, nullptr, nullptr, 0);
  expect(cq != nullptr, "a completion queue", errno_text(errno));
  ibv_qp_init_attr attr{};
  attr.send_cq = attr.recv_cq = cq;
  attr.qp_type = IBV_QPT_RC;
  attr.cap = {1, 1, 1, 1, 0};
  errno = 0;
  expect(bench.lib.ibv_create_qp(bench.pd, &attr) == nullptr, "no queue pair with its completion queue",
         "one");
  expect_errno("a completion queue of another context", {EINVAL, ENOENT}, errno);
  ibv_qp* qp = bench.lib.ibv_create_qp(other.pd, &attr);
  expect(qp != nullptr, "a queue pair of one context", errno_text(errno));
  bench.lib.ibv_destroy_qp(qp);
  bench.lib.ibv_destroy_cq(cq);
}

void receives_of_another_context(Mlx5Bench& bench) {
  const OtherContext other(bench);
  ibv_srq_init_attr shared{};
  shared.attr = {16, 1, 0};
  ibv_srq* srq = bench.lib.ibv_create_srq(other.pd, &shared);
  expect(srq != nullptr, "a shared receive queue", errno_text(errno));
  ibv_cq* cq = bench.lib.ibv_create_cq(bench.context, 16, nullptr, nullptr, 0);
  ibv_qp_init_attr attr{};
  attr.send_cq = attr.recv_cq = cq;
  attr.srq = srq;
  attr.qp_type = IBV_QPT_RC;
  attr.cap = {1, 0, 1, 0, 0};
  errno = 0;
  expect(bench.lib.ibv_create_qp(bench.pd, &attr) == nullptr, "no queue pair with its receives", "one");
  expect_errno("shared receives of another context", {EINVAL, ENOENT}, errno);
  bench.lib.ibv_destroy_cq(cq);
  bench.lib.ibv_destroy_srq(srq);
}

void states_in_order(Mlx5Bench& bench) {
  TestQueuePair end(bench);
  expect_equal("state RESET", static_cast<int>(IBV_QPS_RESET), static_cast<int>(end.state()));
  expect_errno("RESET to RTS", {EINVAL}, end.ready_to_send());
  end.init();
  expect_equal("state INIT", static_cast<int>(IBV_QPS_INIT), static_cast<int>(end.state()));
  expect_errno("INIT to RTS", {EINVAL}, end.ready_to_send());
  expect_errno("INIT to RTR", {0}, end.ready_to_receive(end.qp->qp_num, bench.port.lid));
  expect_errno("RTR to RTS", {0}, end.ready_to_send());
  expect_equal("state RTS", static_cast<int>(IBV_QPS_RTS), static_cast<int>(end.state()));
  expect_errno(
      "RTS to INIT", {EINVAL},
      end.modify(IBV_QPS_INIT, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
  expect_errno("RTS to ERR", {0}, end.modify(IBV_QPS_ERR));
  expect_equal("state ERR", static_cast<int>(IBV_QPS_ERR), static_cast<int>(end.state()));
  expect_errno("ERR to RESET", {0}, end.modify(IBV_QPS_RESET));
  end.connect(end.qp->qp_num, bench.port.lid);
}

void attributes_must_come_along(Mlx5Bench& bench) {
  TestQueuePair end(bench);
  expect_errno("RESET to INIT without a port", {EINVAL},
               end.modify(IBV_QPS_INIT, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS));
  expect_errno("RESET to INIT with a path MTU", {EINVAL},
               end.modify(IBV_QPS_INIT, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS |
                                            IBV_QP_PATH_MTU));
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_INIT;
  attr.port_num = 99;
  expect_errno("port 99", {EINVAL},
               bench.lib.ibv_modify_qp(end.qp, &attr,
                                       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
}

void attributes_are_kept(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  const int mask = IBV_QP_DEST_QPN | IBV_QP_PATH_MTU | IBV_QP_ACCESS_FLAGS;
  expect_errno("ibv_query_qp", {0}, bench.lib.ibv_query_qp(link.a.qp, &attr, mask, &init));
  expect_equal("destination", link.b.qp->qp_num, attr.dest_qp_num);
  expect_equal("path MTU", static_cast<int>(IBV_MTU_1024), static_cast<int>(attr.path_mtu));
  expect_equal("rights", link.a.setup.access, attr.qp_access_flags);
  expect(init.send_cq == link.a.cq, "its completion queue", "another");
}

void full_send_queue(Mlx5Bench& bench) {
  TestQueuePair end(bench);
  end.connect(end.qp->qp_num, bench.port.lid);
  expect_errno("RTS to ERR", {0}, end.modify(IBV_QPS_ERR));  // the queue must report every request
  ibv_sge piece = end.memory.piece(0, 8);
  ibv_qp_attr attr{};
  ibv_qp_init_attr init{};
  bench.lib.ibv_query_qp(end.qp, &attr, IBV_QP_CAP, &init);
  std::uint32_t posted = 0;
  int error = 0;
  while (error == 0 && posted <= init.cap.max_send_wr) {
    error = end.post(write_request(posted, &piece, end.memory, 64));
    if (error == 0) ++posted;
  }
  expect_errno("one request more than the queue takes", {ENOMEM}, error);
  expect_equal("requests taken:", init.cap.max_send_wr, posted);
}

void full_receive_queue(Mlx5Bench& bench) {
  TestQueuePair end(bench);
  end.init();
  std::uint32_t posted = 0;
  int error = 0;
  while (error == 0 && posted < 100'000) {
    error = end.post_receive(posted, end.memory.piece(0, 8));
    if (error == 0) ++posted;
  }
  expect_errno("one receive more than the queue takes", {ENOMEM}, error);
  expect(posted >= end.setup.recv_wr, "64 receives at least", std::to_string(posted));
}

void bad_requests(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  ibv_sge pieces[8];
  for (ibv_sge& piece : pieces) piece = link.a.memory.piece(0, 8);
  ibv_send_wr many = write_request(1, pieces, link.b.memory, 0);
  many.num_sge = 1000;
  expect(link.a.post(many) != 0, "an error for 1000 pieces", "success");
  ibv_send_wr unknown = write_request(2, pieces, link.b.memory, 0);
  unknown.opcode = static_cast<ibv_wr_opcode>(77);
  expect_errno("an opcode that is none", {EINVAL}, link.a.post(unknown));
  ibv_send_wr good = write_request(3, pieces, link.b.memory, 0), bad = unknown;
  good.next = &bad;
  ibv_send_wr* stopped_at = nullptr;
  expect_errno("a list with such a one", {EINVAL},
               link.a.qp->context->ops.post_send(link.a.qp, &good, &stopped_at));
  expect(stopped_at == &bad, "bad_wr at the second", "elsewhere");
  link.a.next(3, IBV_WC_SUCCESS);
}

void flushed(Mlx5Bench& bench) {
  ConnectedPair link(bench);
  for (std::uint64_t id = 0; id < 3; ++id) link.a.post_receive(id, link.a.memory.piece(0, 64));
  expect_errno("RTS to ERR", {0}, link.a.modify(IBV_QPS_ERR));
  for (std::uint64_t id = 0; id < 3; ++id) link.a.next(id, IBV_WC_WR_FLUSH_ERR);
  ibv_sge piece = link.a.memory.piece(0, 8);
  expect_errno("post_send in ERR", {0}, link.a.post(write_request(7, &piece, link.b.memory, 0)));
  link.a.next(7, IBV_WC_WR_FLUSH_ERR);
}

void shared_receives_in_use(Mlx5Bench& bench) {
  ibv_srq_init_attr attr{nullptr, {16, 1, 0}};
  ibv_srq* srq = bench.lib.ibv_create_srq(bench.pd, &attr);
  expect(srq != nullptr, "a shared receive queue", errno_text(errno));
  std::uint32_t number = 0;
  expect_errno("get_srq_num", {0}, extended(bench.context)->get_srq_num(srq, &number));
  expect(number != 0, "a number above 0", "0");
  EndSetup setup;
  setup.srq = srq;
  {
    const TestQueuePair end(bench, setup);
    expect_errno("ibv_destroy_srq while a queue pair uses it", {EBUSY}, bench.lib.ibv_destroy_srq(srq));
  }
  expect_errno("ibv_destroy_srq", {0}, bench.lib.ibv_destroy_srq(srq));
}

constexpr Mlx5Test kTests[] = {
    {"completion queues have at least the entries asked for", completion_queue_limits},
    {"a completion queue in use is EBUSY", completion_queue_in_use},
    {"queue pairs have at least the room asked for", room_for_what_was_asked},
    {"a queue pair past all limits is refused", too_many_requests},
    {"a queue pair takes completion queues of its own context", parts_of_another_context},
    {"a queue pair takes shared receives of its own context", receives_of_another_context},
    {"states change in their order, ERR and RESET from anywhere", states_in_order},
    {"a change needs its attributes and no others", attributes_must_come_along},
    {"ibv_query_qp gives back what was set", attributes_are_kept},
    {"a full send queue is ENOMEM", full_send_queue},
    {"a full receive queue is ENOMEM", full_receive_queue},
    {"requests that cannot be are refused, and bad_wr names them", bad_requests},
    {"ERR flushes what is posted and what comes", flushed},
    {"a shared receive queue in use is EBUSY", shared_receives_in_use},
};

}  // namespace
}  // namespace queue

const std::span<const Mlx5Test> queue_tests = queue::kTests;

}  // namespace collbench::conformance::mlx5
