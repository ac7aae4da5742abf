// Dynamically connected transport: targets made by mlx5dv_create_qp, initiators made by DEVX.
#include <cerrno>
#include <cstring>

#include "emulated/conformance/mlx5/devx_bench.h"

namespace collbench::conformance::mlx5 {
namespace dc {
namespace {

namespace formats = collbench::mlx5;
constexpr std::uint64_t kKey = 0x5623CEAF;

class Target {
 public:
  explicit Target(Mlx5Bench& its_bench) : bench(its_bench), memory(its_bench, 1 << 16) {
    ibv_srq_init_attr receives{nullptr, {16, 1, 0}};
    srq = bench.lib.ibv_create_srq(bench.pd, &receives);
    cq = bench.lib.ibv_create_cq(bench.context, 16, nullptr, nullptr, 0);
    ibv_qp_init_attr_ex attr{};
    attr.send_cq = attr.recv_cq = cq;
    attr.srq = srq;
    attr.qp_type = IBV_QPT_DRIVER;
    attr.comp_mask = IBV_QP_INIT_ATTR_PD;
    attr.pd = bench.pd;
    mlx5dv_qp_init_attr own{};
    own.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
    own.dc_init_attr = {MLX5DV_DCTYPE_DCT, kKey};
    qp = bench.lib.mlx5dv_create_qp(bench.context, &attr, &own);
    expect(qp != nullptr, "a DC target", errno_text(errno));
  }
  ~Target() {
    if (qp != nullptr) bench.lib.ibv_destroy_qp(qp);
    if (cq != nullptr) bench.lib.ibv_destroy_cq(cq);
    if (srq != nullptr) bench.lib.ibv_destroy_srq(srq);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  void make_ready() {
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    attr.qp_access_flags = kRights;
    expect_errno("RESET to INIT", {0},
                 bench.lib.ibv_modify_qp(
                     qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
    attr.qp_state = IBV_QPS_RTR;
    attr.path_mtu = IBV_MTU_1024;
    attr.min_rnr_timer = 1;
    attr.ah_attr.port_num = 1;
    if (bench.port.link_layer == IBV_LINK_LAYER_ETHERNET)
      attr.ah_attr.is_global = 1;
    else
      attr.ah_attr.grh.sgid_index = 0x5a;  // field of a header that is absent, so it must be ignored
    expect_errno("INIT to RTR", {0},
                 bench.lib.ibv_modify_qp(qp, &attr,
                                         IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU));
    expect(qp->qp_num != 0, "a number once it is ready to receive", "0");
  }

  Mlx5Bench& bench;
  TestMemory memory;
  ibv_srq* srq = nullptr;
  ibv_cq* cq = nullptr;
  ibv_qp* qp = nullptr;
};

struct Dc {
  explicit Dc(Mlx5Bench& bench) : target(bench), from(bench, {true, false, 6, 6}), data(bench, 4096) {
    if (bench.port.link_layer == IBV_LINK_LAYER_ETHERNET)
      throw TestSkipped{"this test addresses by LID, the port is Ethernet"};
    target.make_ready();
    from.connect(0, 0);
    ibv_ah_attr attr{};
    attr.dlid = bench.port.lid;
    attr.port_num = 1;
    ibv_ah* ah = bench.lib.ibv_create_ah(bench.pd, &attr);
    expect(ah != nullptr, "an address handle", errno_text(errno));
    mlx5dv_ah view{};
    mlx5dv_obj obj{};
    obj.ah = {ah, &view};
    expect_errno("mlx5dv_init_obj", {0}, bench.lib.mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH));
    std::memcpy(vector.data(), view.av, vector.size());
    bench.lib.ibv_destroy_ah(ah);
  }
  /// Writes 64 bytes to the DC target and returns the completion.
  /// @param key access key in the entry
  /// @param is_full true: the entry has the long form of the address vector and takes two blocks
  DirectQueue::Completion write(std::uint64_t key, bool is_full) {
    data.fill(is_full ? 1 : 2, 0, 64);
    from.begin(formats::kWrite);
    std::byte* at = from.segment();
    std::memcpy(at, vector.data(), formats::kVectorBytes);
    for (unsigned n = 0; n < 8; ++n)
      at[formats::kVectorKey + n] = static_cast<std::byte>(key >> (56 - 8 * n));
    const std::uint32_t number =
        __builtin_bswap32(target.qp->qp_num | (is_full ? formats::kVectorExtended : 0));
    std::memcpy(at + formats::kVectorTarget, &number, sizeof number);
    if (is_full)
      for (std::size_t part = 16; part < vector.size(); part += 16)
        std::memcpy(from.segment(), vector.data() + part, 16);
    from.put_remote(target.memory.at(8), target.memory.mr->rkey);
    from.put_piece(data.piece(0, 64));
    from.end();
    from.ring();
    return from.next();
  }
  Target target;
  DirectQueue from;
  TestMemory data;
  std::array<std::byte, 48> vector{};
};

void writes_to_target(Mlx5Bench& bench) {
  Dc dc(bench);
  for (const bool is_full : {false, true}) {
    const auto seen = dc.write(kKey, is_full);
    expect_equal("entry opcode (syndrome " + std::to_string(seen.syndrome) + " seen)",
                 unsigned{formats::kEntryRequest}, unsigned{seen.opcode});
    expect_bytes(dc.data.data, dc.target.memory.data + 8, 64);
  }
}

void wrong_key(Mlx5Bench& bench) {
  Dc dc(bench);
  const auto seen = dc.write(kKey + 1, false);
  expect_equal("entry opcode", unsigned{formats::kEntryRequestError}, unsigned{seen.opcode});
  expect(dc.target.memory.data[8] == std::byte{}, "memory untouched", "written");
}

void target_needs_receives(Mlx5Bench& bench) {
  ibv_qp_init_attr_ex attr{};
  attr.qp_type = IBV_QPT_DRIVER;
  attr.comp_mask = IBV_QP_INIT_ATTR_PD;
  attr.pd = bench.pd;
  mlx5dv_qp_init_attr own{};
  own.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
  own.dc_init_attr = {MLX5DV_DCTYPE_DCT, kKey};
  errno = 0;
  expect(bench.lib.mlx5dv_create_qp(bench.context, &attr, &own) == nullptr, "no DC target without receives",
         "one");
  expect_errno("it", {EINVAL}, errno);
}

constexpr Mlx5Test kTests[] = {
    {"WRITE reaches a DC target by half and full address vector", writes_to_target},
    {"a wrong access key is refused and writes nothing", wrong_key},
    {"a DC target needs a shared receive queue", target_needs_receives},
};

}  // namespace
}  // namespace dc

const std::span<const Mlx5Test> dc_tests = dc::kTests;

}  // namespace collbench::conformance::mlx5
