// Compares the port counters in files of the kernel's form with those that the library reports.
#include "emulated/softmlx5/verbs/sysfs.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "emulated/cards.h"
#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/objects.h"

namespace soft = collbench::softmlx5;
namespace api = collbench::softmlx5::verbs::api;
using namespace collbench::rdma;  // NOLINT: names of the interface

namespace {

std::uint64_t value_in(const std::filesystem::path& file) {
  std::uint64_t value = ~std::uint64_t{0};
  std::ifstream(file) >> value;
  return value;
}

/// Makes a queue pair that is connected to itself.
ibv_qp* loop(ibv_pd* pd, ibv_cq* cq, std::uint16_t lid) {
  ibv_qp_init_attr init{};
  init.send_cq = init.recv_cq = cq;
  init.qp_type = IBV_QPT_RC;
  init.cap = {16, 1, 1, 1, 0};
  ibv_qp* qp = api::ibv_create_qp(pd, &init);
  REQUIRE(qp != nullptr);
  ibv_qp_attr attr{};
  attr.port_num = 1;
  attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  attr.path_mtu = IBV_MTU_1024;
  attr.dest_qp_num = qp->qp_num;
  attr.ah_attr.dlid = lid;
  attr.qp_state = IBV_QPS_INIT;
  const int init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  REQUIRE(api::ibv_modify_qp(qp, &attr, init_mask) == 0);
  attr.qp_state = IBV_QPS_RTR;
  const int receive_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                           IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  REQUIRE(api::ibv_modify_qp(qp, &attr, receive_mask) == 0);
  attr.qp_state = IBV_QPS_RTS;
  const int send_mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                        IBV_QP_MAX_QP_RD_ATOMIC;
  REQUIRE(api::ibv_modify_qp(qp, &attr, send_mask) == 0);
  return qp;
}

}  // namespace

TEST_CASE("counters count payload, per queue pair and port, in words of 4 bytes in the files") {
  const auto root = std::filesystem::temp_directory_path() / ("softmlx5-sysfs-" + std::to_string(getpid()));
  ibv_device** list = api::ibv_get_device_list(nullptr);
  REQUIRE(list[0] != nullptr);
  ibv_context* context = api::ibv_open_device(list[0]);
  soft::Card& card = soft::verbs::card_of(context);
  soft::verbs::SysfsTree tree(card, root);
  REQUIRE(tree.is_complete());
  const auto port = root / "class/infiniband" / ("mlx5_" + std::to_string(card.lid())) / "ports/1";
  CHECK(value_in(port / "counters/port_xmit_data") == 0);

  ibv_pd* pd = api::ibv_alloc_pd(context);
  ibv_cq* cq = api::ibv_create_cq(context, 16, nullptr, nullptr, 0);
  ibv_qp* qp = loop(pd, cq, card.lid());
  alignas(4096) static std::array<std::byte, 8192> memory;
  ibv_mr* mr =
      api::ibv_reg_mr(pd, memory.data(), memory.size(), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  ibv_sge piece{reinterpret_cast<std::uintptr_t>(memory.data()), 400, mr->lkey};
  ibv_send_wr request{};
  request.sg_list = &piece;
  request.num_sge = 1;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.rdma = {piece.addr + 4096, mr->rkey};
  constexpr unsigned kWrites = 3;
  for (unsigned n = 0; n < kWrites; ++n) {
    ibv_send_wr* bad = nullptr;
    REQUIRE(api::post_send(qp, &request, &bad) == 0);
    ibv_wc wc{};
    while (api::poll_cq(cq, 1, &wc) == 0) {
    }
    REQUIRE(wc.status == IBV_WC_SUCCESS);
  }

  softmlx5_counters_t counted{};
  REQUIRE(api::counters(qp->qp_num, &counted) == 1);
  CHECK(counted.requests == kWrites);
  CHECK(counted.doorbells == kWrites);
  CHECK(counted.bytes_sent == kWrites * 400);
  CHECK(counted.errors == 0);
  tree.write();
  CHECK(value_in(port / "counters/port_xmit_data") == kWrites * 400 / 4);
  CHECK(value_in(port / "counters/port_rcv_data") == kWrites * 400 / 4);
  CHECK(value_in(port / "counters/port_xmit_packets") >= kWrites);
  REQUIRE(api::counters(0, &counted) == 1);
  CHECK(counted.bytes_sent == kWrites * 400);
  CHECK(api::counters(0xabcdef, &counted) == 0);

  CHECK(api::ibv_destroy_qp(qp) == 0);
  CHECK(api::ibv_dereg_mr(mr) == 0);
  CHECK(api::ibv_destroy_cq(cq) == 0);
  CHECK(api::ibv_dealloc_pd(pd) == 0);
  CHECK(api::ibv_close_device(context) == 0);
  api::ibv_free_device_list(list);
  std::filesystem::remove_all(root);
}

TEST_CASE("a folder that cannot be made is no tree") {
  ibv_device** list = api::ibv_get_device_list(nullptr);
  ibv_context* context = api::ibv_open_device(list[0]);
  CHECK(!soft::verbs::SysfsTree(soft::verbs::card_of(context), "/proc/none").is_complete());
  api::ibv_close_device(context);
  api::ibv_free_device_list(list);
}
