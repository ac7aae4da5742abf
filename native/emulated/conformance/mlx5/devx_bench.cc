#include "emulated/conformance/mlx5/devx_bench.h"

#include <atomic>
#include <cerrno>
#include <cstring>

namespace collbench::conformance::mlx5 {
namespace {

namespace formats = collbench::mlx5;
using namespace rdma::devx;

constexpr std::size_t kEntriesAt = 1 << 16, kRecordsAt = 1 << 17;  // offsets in the umem; the ring is at 0
constexpr std::size_t kSendRecord = 64;                            // offset after the record of completions

template <typename Number>
void store(std::byte* at, Number value) {
  for (std::size_t n = 0; n < sizeof value; ++n)
    at[n] = static_cast<std::byte>(value >> (8 * (sizeof value - 1 - n)));
}

void set_cq(void* in, Field field, std::uint64_t value) { set(in, inside(kCqcInMailbox, field), value); }
void set_qp(void* in, Field field, std::uint64_t value) { set(in, inside(kQpcInMailbox, field), value); }

}  // namespace

int status_of(const Mailbox& out) { return static_cast<int>(get(out.data(), kStatus)); }

DirectQueue::DirectQueue(Mlx5Bench& its_bench, const Setup& its_setup)
    : bench(its_bench), setup(its_setup), memory(its_bench, kRecordsAt + 4096) {
  umem = bench.lib.mlx5dv_devx_umem_reg(bench.context, memory.data, memory.bytes, IBV_ACCESS_LOCAL_WRITE);
  expect(umem != nullptr, "a umem", errno_text(errno));
  uar = bench.lib.mlx5dv_devx_alloc_uar(bench.context, kUarNonCached);
  expect(uar != nullptr, "a UAR", errno_text(errno));
  std::uint32_t eqn = 0;
  expect_errno("mlx5dv_devx_query_eqn", {0}, bench.lib.mlx5dv_devx_query_eqn(bench.context, 0, &eqn));
  mlx5dv_pd pd{};
  mlx5dv_obj obj{};
  obj.pd = {bench.pd, &pd};
  expect_errno("mlx5dv_init_obj", {0}, bench.lib.mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD));
  pdn = pd.pdn;
  for (std::size_t n = 0; n < std::size_t{1} << setup.log_entries; ++n)
    std::memset(memory.data + kEntriesAt + n * formats::kEntryBytes, 0xff, formats::kEntryBytes);

  Mailbox in{}, out{};
  set(in.data(), kOpcode, kCreateCq);
  set_cq(in.data(), cqc::kDbrUmemValid, 1);
  set_cq(in.data(), cqc::kCollapsed, setup.collapsed ? 1 : 0);
  set_cq(in.data(), cqc::kOverrunIgnore, 1);
  set_cq(in.data(), cqc::kDbrUmemId, umem->umem_id);
  set_cq(in.data(), cqc::kLogSize, setup.log_entries);
  set_cq(in.data(), cqc::kUarPage, uar->page_id);
  set_cq(in.data(), cqc::kEqn, eqn);
  set_cq(in.data(), cqc::kDbrAddr, kRecordsAt);
  set(in.data(), kCqUmemOffset, kEntriesAt);
  set(in.data(), kCqUmemId, umem->umem_id);
  set(in.data(), kCqUmemValid, 1);
  cq = bench.lib.mlx5dv_devx_obj_create(bench.context, in.data(), kCreateCqInBytes, out.data(),
                                        kCreateCqOutBytes);
  expect(cq != nullptr, "CREATE_CQ", errno_text(errno) + ", status " + std::to_string(status_of(out)));
  cqn = static_cast<std::uint32_t>(get(out.data(), kOutObject));

  in = {};
  out = {};
  set(in.data(), kOpcode, kCreateQp);
  set_qp(in.data(), qpc::kServiceType, setup.is_dc ? qpc::kDci : qpc::kRc);
  set_qp(in.data(), qpc::kPathMigration, 3);
  set_qp(in.data(), qpc::kPd, pdn);
  set_qp(in.data(), qpc::kLogSqSize, setup.log_blocks);
  set_qp(in.data(), qpc::kUarPage, uar->page_id);
  set_qp(in.data(), qpc::kCqnSend, cqn);
  set_qp(in.data(), qpc::kCqnReceive, cqn);
  set_qp(in.data(), qpc::kRqType, qpc::kRqNone);
  set_qp(in.data(), qpc::kDbrAddr, kRecordsAt + kSendRecord);
  set_qp(in.data(), qpc::kDbrUmemValid, 1);
  set_qp(in.data(), qpc::kDbrUmemId, umem->umem_id);
  set(in.data(), kWqUmemOffset, 0);
  set(in.data(), kWqUmemId, umem->umem_id);
  set(in.data(), kWqUmemValid, 1);
  made_by = in;
  qp = bench.lib.mlx5dv_devx_obj_create(bench.context, in.data(), kCreateQpInBytes, out.data(),
                                        kCreateQpOutBytes);
  expect(qp != nullptr, "CREATE_QP", errno_text(errno) + ", status " + std::to_string(status_of(out)));
  qpn = static_cast<std::uint32_t>(get(out.data(), kOutObject));
}

DirectQueue::~DirectQueue() {
  if (qp != nullptr) bench.lib.mlx5dv_devx_obj_destroy(qp);
  if (cq != nullptr) bench.lib.mlx5dv_devx_obj_destroy(cq);
  if (uar != nullptr) bench.lib.mlx5dv_devx_free_uar(uar);
  if (umem != nullptr) bench.lib.mlx5dv_devx_umem_dereg(umem);
}

int DirectQueue::change(std::uint16_t opcode, void (*fill)(void*, void*), void* context) {
  Mailbox in{}, out{};
  set(in.data(), kOpcode, opcode);
  set(in.data(), kInObject, qpn);
  if (fill != nullptr) fill(in.data(), context);
  bench.lib.mlx5dv_devx_obj_modify(qp, in.data(), kModifyQpInBytes, out.data(), kModifyQpOutBytes);
  return status_of(out);
}

void DirectQueue::connect(std::uint32_t remote_queue, std::uint16_t remote_lid) {
  struct RemotePeer {
    std::uint32_t queue;
    std::uint16_t lid;
  } remote{remote_queue, remote_lid};
  const int init = change(kRst2Init, [](void* in, void*) {
    set_qp(in, inside(qpc::kPrimaryPath, path::kPort), 1);
    set_qp(in, qpc::kPathMigration, 3);
    set_qp(in, qpc::kRemoteRead, 1);
    set_qp(in, qpc::kRemoteWrite, 1);
    set_qp(in, qpc::kRemoteAtomic, 1);
  });
  expect_equal("status of RST2INIT", 0, init);
  const int receive = change(
      kInit2Rtr,
      [](void* in, void* where) {
        const auto& to = *static_cast<RemotePeer*>(where);
        set_qp(in, qpc::kMtu, IBV_MTU_1024);
        set_qp(in, qpc::kLogMsgMax, 30);
        set_qp(in, qpc::kRemoteQpn, to.queue);
        set_qp(in, inside(qpc::kPrimaryPath, path::kRlid), to.lid);
        set_qp(in, inside(qpc::kPrimaryPath, path::kPort), 1);
        set_qp(in, qpc::kMinRnrNak, 1);
      },
      &remote);
  expect_equal("status of INIT2RTR", 0, receive);
  const int send = change(kRtr2Rts, [](void* in, void*) {
    set_qp(in, inside(qpc::kPrimaryPath, path::kAckTimeout), 10);
    set_qp(in, qpc::kRetryCount, 3);
    set_qp(in, qpc::kRnrRetry, 7);
  });
  expect_equal("status of RTR2RTS", 0, send);
}

void DirectQueue::begin(std::uint8_t opcode, std::uint8_t opmod) {
  opcode_ = opcode;
  opmod_ = opmod;
  segments_ = 0;
  segment();
}

std::byte* DirectQueue::segment() {
  const std::uint32_t all = formats::kSegmentsPerBlock << setup.log_blocks;
  const std::uint32_t index = (producer_ * formats::kSegmentsPerBlock + segments_++) % all;
  std::byte* at = memory.data + std::size_t{index} * formats::kSegmentBytes;
  std::memset(at, 0, formats::kSegmentBytes);
  return at;
}

void DirectQueue::put_remote(std::uint64_t address, std::uint32_t key) {
  std::byte* at = segment();
  store(at + formats::kRemoteAddress, address);
  store(at + formats::kRemoteKey, key);
}

void DirectQueue::put_piece(const ibv_sge& piece) {
  std::byte* at = segment();
  store(at + formats::kDataBytes, piece.length);
  store(at + formats::kDataKey, piece.lkey);
  store(at + formats::kDataAddress, piece.addr);
}

std::uint16_t DirectQueue::end(bool wants_completion) {
  const std::uint32_t mask = (1U << setup.log_blocks) - 1;
  std::byte* control = memory.data + std::size_t{producer_ & mask} * formats::kBlockBytes;
  const auto index = static_cast<std::uint16_t>(producer_);
  store(control + formats::kControlWord0,
        std::uint32_t{opmod_} << 24 | std::uint32_t{index} << 8 | std::uint32_t{opcode_});
  store(control + formats::kControlWord1, qpn << 8 | segments_);
  control[formats::kControlFlags] =
      std::byte{wants_completion ? formats::kCompletionAlways : std::uint8_t{0}};
  producer_ += (segments_ + formats::kSegmentsPerBlock - 1) / formats::kSegmentsPerBlock;
  return index;
}

void DirectQueue::ring(std::uint32_t upto) {
  std::uint32_t index = 0;
  store(reinterpret_cast<std::byte*>(&index), upto & 0xffff);
  auto* record =
      reinterpret_cast<std::uint32_t*>(memory.data + kRecordsAt + kSendRecord + formats::kDoorbellSend);
  std::atomic_ref<std::uint32_t>(*record).store(index, std::memory_order_release);
  std::uint64_t words = 0;
  store(reinterpret_cast<std::byte*>(&words), std::uint64_t{upto << 8} << 32 | std::uint64_t{qpn << 8});
  // Sequentially consistent after the record, because the adapter reads the register first.
  std::atomic_ref<std::uint64_t>(*static_cast<std::uint64_t*>(uar->reg_addr)).store(words);
}

bool DirectQueue::poll(Completion* completion) {
  const std::uint32_t mask = (1U << setup.log_entries) - 1;
  const std::size_t slot = setup.collapsed ? 0 : consumed_ & mask;
  std::byte* entry = memory.data + kEntriesAt + slot * formats::kEntryBytes;
  auto* last = reinterpret_cast<std::uint64_t*>(entry + formats::kEntryBytes - 8);
  const std::uint64_t word = std::atomic_ref<std::uint64_t>(*last).load(std::memory_order_acquire);
  const auto owner = static_cast<std::uint8_t>(word >> 56);
  if (owner >> 4 == formats::kEntryInvalid) return false;
  if (!setup.collapsed && (owner & 1) != (consumed_ >> setup.log_entries & 1)) return false;
  ++consumed_;
  completion->opcode = static_cast<std::uint8_t>(owner >> 4);
  completion->counter = static_cast<std::uint16_t>((word >> 32 & 0xff) << 8 | (word >> 40 & 0xff));
  // Only an error has a syndrome; other completions leave the field unset.
  const bool is_error = completion->opcode == formats::kEntryRequestError;
  completion->syndrome =
      is_error ? static_cast<std::uint8_t>(entry[formats::kEntrySyndrome]) : std::uint8_t{0};
  return true;
}

DirectQueue::Completion DirectQueue::next() {
  Completion completion{};
  const WaitLimit limit;
  do
    if (poll(&completion)) return completion;
  while (!limit.is_over());
  throw TestFailure{"a completion entry", "none within 5 s"};
}

}  // namespace collbench::conformance::mlx5
