#include <cerrno>
#include <cstring>

#include "emulated/conformance/mlx5/devx_bench.h"

namespace collbench::conformance::mlx5 {
namespace devx {
namespace {

namespace formats = collbench::mlx5;
using namespace rdma::devx;

void capabilities(Mlx5Bench& bench) {
  std::array<std::byte, kCapInMailbox / 8 + kCapBytes> out{};
  Mailbox in{};
  set(in.data(), kOpcode, kQueryHcaCap);
  set(in.data(), kOpMod, kCapGeneral << 1 | 1);
  const int error = bench.lib.mlx5dv_devx_general_cmd(bench.context, in.data(), kQueryHcaCapInBytes,
                                                      out.data(), out.size());
  expect_errno("QUERY_HCA_CAP, general", {0}, error);
  const auto field = [&out](Field one) { return get(out.data(), inside(kCapInMailbox, one)); };
  expect_equal("version of completion entries", 1U, field(cap::kCqeVersion));
  expect(field(cap::kLogMaxQpSize) >= 10, "queues of 1024 requests",
         std::to_string(field(cap::kLogMaxQpSize)));
  set(in.data(), kOpMod, kCapAtomic << 1 | 1);
  expect_errno("QUERY_HCA_CAP, atomic", {0},
               bench.lib.mlx5dv_devx_general_cmd(bench.context, in.data(), kQueryHcaCapInBytes, out.data(),
                                                 out.size()));
  expect((field(atomic_cap::kOperations) & 3) == 3, "compare-and-swap and fetch-and-add",
         std::to_string(field(atomic_cap::kOperations)));
}

void short_mailboxes(Mlx5Bench& bench) {
  Mailbox in{}, out{};
  set(in.data(), kOpcode, kQueryHcaCap);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{4}, std::size_t{15}}) {
    expect_errno("in of " + std::to_string(bytes) + " bytes", {EINVAL, ENOSPC, EFAULT},
                 bench.lib.mlx5dv_devx_general_cmd(bench.context, in.data(), bytes, out.data(), out.size()));
    expect_errno("out of " + std::to_string(bytes) + " bytes", {EINVAL, ENOSPC, EFAULT},
                 bench.lib.mlx5dv_devx_general_cmd(bench.context, in.data(), 16, out.data(), bytes));
  }
  set(in.data(), kOpcode, kCreateQp);
  errno = 0;
  mlx5dv_devx_obj* made = bench.lib.mlx5dv_devx_obj_create(bench.context, in.data(), 16, out.data(), 16);
  expect(made == nullptr && errno != 0, "no object of 16 bytes of CREATE_QP", "one");
}

void unknown_commands(Mlx5Bench& bench) {
  Mailbox in{}, out{};
  set(in.data(), kOpcode, 0x1234);
  expect_errno("a command that is none", {EINVAL},
               bench.lib.mlx5dv_devx_general_cmd(bench.context, in.data(), 16, out.data(), 16));
  errno = 0;
  expect(bench.lib.mlx5dv_devx_obj_create(bench.context, in.data(), in.size(), out.data(), 16) == nullptr,
         "no object", "one");
  expect_errno("an object of a command that is none", {EINVAL}, errno);
}

void no_such_umem(Mlx5Bench& bench) {
  const DirectQueue queue(bench);
  Mailbox in{}, out{};
  set(in.data(), kOpcode, kCreateCq);
  set(in.data(), inside(kCqcInMailbox, cqc::kUarPage), queue.uar->page_id);
  set(in.data(), kCqUmemId, 0xffffff);
  set(in.data(), kCqUmemValid, 1);
  errno = 0;
  mlx5dv_devx_obj* made =
      bench.lib.mlx5dv_devx_obj_create(bench.context, in.data(), kCreateCqInBytes, out.data(), out.size());
  expect(made == nullptr, "no queue in a umem that is none", "one");
  expect_errno("it", {EREMOTEIO, EINVAL}, errno);
}

/// Repeats the command CREATE_QP of an existing queue with one field changed to an invalid value.
/// @throws TestFailure if the command succeeds
void expect_no_queue(const DirectQueue& queue, const std::string& what, Field field, std::uint64_t number) {
  Mailbox in = queue.made_by, out{};
  set(in.data(), field, number);
  errno = 0;
  mlx5dv_devx_obj* made = queue.bench.lib.mlx5dv_devx_obj_create(queue.bench.context, in.data(),
                                                                 kCreateQpInBytes, out.data(), out.size());
  expect(made == nullptr, "no queue with " + what, "one");
  expect_errno("a queue with " + what, {EREMOTEIO, EINVAL}, errno);
}

void parts_that_are_none(Mlx5Bench& bench) {
  const DirectQueue queue(bench);
  constexpr std::uint64_t kNobody = 0xfffff0;
  expect_no_queue(queue, "a domain that is none", inside(kQpcInMailbox, qpc::kPd), kNobody);
  expect_no_queue(queue, "a completion queue that is none", inside(kQpcInMailbox, qpc::kCqnSend), kNobody);
  expect_no_queue(queue, "a umem that is none", kWqUmemId, kNobody);
  expect_no_queue(queue, "a doorbell record in a umem that is none", inside(kQpcInMailbox, qpc::kDbrUmemId),
                  kNobody);
}

void parts_of_another_context(Mlx5Bench& bench) {
  const DirectQueue queue(bench);
  const OtherContext other(bench);
  mlx5dv_pd numbers{};
  mlx5dv_obj obj{};
  obj.pd = {other.pd, &numbers};
  expect_errno("mlx5dv_init_obj", {0}, bench.lib.mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD));
  expect_no_queue(queue, "a domain of another context", inside(kQpcInMailbox, qpc::kPd), numbers.pdn);
  alignas(4096) static std::byte memory[1 << 16];
  mlx5dv_devx_umem* umem =
      bench.lib.mlx5dv_devx_umem_reg(other.context, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE);
  expect(umem != nullptr, "a umem", errno_text(errno));
  expect_no_queue(queue, "a umem of another context", kWqUmemId, umem->umem_id);
  bench.lib.mlx5dv_devx_umem_dereg(umem);
}

void umem_in_use(Mlx5Bench& bench) {
  DirectQueue queue(bench);
  expect(bench.lib.mlx5dv_devx_umem_dereg(queue.umem) != 0, "an error while queues lie in it", "success");
}

void umem_of_nothing(Mlx5Bench& bench) {
  errno = 0;
  expect(bench.lib.mlx5dv_devx_umem_reg(bench.context, nullptr, 0, 0) == nullptr && errno != 0,
         "no umem of 0 bytes", "one");
}

void state_order(Mlx5Bench& bench) {
  DirectQueue queue(bench);
  expect(queue.change(kRtr2Rts) != 0, "RTR2RTS in RESET refused", "status 0");
  queue.connect(queue.qpn, bench.port.lid);
  expect(queue.change(kInit2Rtr) != 0, "INIT2RTR in RTS refused", "status 0");
  expect_equal("status of 2ERR", 0, queue.change(kQp2Err));
  expect_equal("status of 2RST", 0, queue.change(kQp2Rst));
}

void query(Mlx5Bench& bench) {
  DirectQueue queue(bench);
  queue.connect(0x123, bench.port.lid);
  Mailbox in{}, out{};
  set(in.data(), kOpcode, kQueryQp);
  set(in.data(), kInObject, queue.qpn);
  expect_errno("QUERY_QP", {0},
               bench.lib.mlx5dv_devx_obj_query(queue.qp, in.data(), kQueryQpInBytes, out.data(), out.size()));
  const auto field = [&out](Field one) { return get(out.data(), inside(kQpcInMailbox, one)); };
  expect_equal("state RTS", static_cast<unsigned>(qpc::kRts), field(qpc::kState));
  expect_equal("remote queue", 0x123U, field(qpc::kRemoteQpn));
  expect_equal("path MTU", static_cast<unsigned>(IBV_MTU_1024), field(qpc::kMtu));
  set(in.data(), kInObject, queue.qpn + 1);
  expect_errno("a number of another queue", {EINVAL},
               bench.lib.mlx5dv_devx_obj_query(queue.qp, in.data(), kQueryQpInBytes, out.data(), out.size()));
}

/// A connection whose initiator is a DEVX queue and whose target is an ordinary verbs queue pair.
struct MixedPair {
  explicit MixedPair(Mlx5Bench& bench) : MixedPair(bench, DirectQueue::Setup{}) {}
  MixedPair(Mlx5Bench& bench, const DirectQueue::Setup& setup)
      : from(bench, setup), to(bench), data(bench, 1 << 16) {
    from.connect(to.qp->qp_num, bench.port.lid);
    to.connect(from.qpn, bench.port.lid);
  }
  DirectQueue from;
  TestQueuePair to;
  TestMemory data;
};

void expect_done(DirectQueue& queue, std::uint16_t index) {
  const auto completion = queue.next();
  expect_equal("entry opcode (syndrome " + std::to_string(completion.syndrome) + " seen)",
               unsigned{formats::kEntryRequest}, unsigned{completion.opcode});
  expect_equal("index", index, completion.counter);
}

void handmade_writes(Mlx5Bench& bench) {
  MixedPair mixed(bench);
  for (unsigned n = 0; n < 300; ++n) {  // several rounds of both rings
    mixed.data.fill(n, 0, 512);
    mixed.from.begin(formats::kWrite);
    mixed.from.put_remote(mixed.to.memory.at(n), mixed.to.memory.mr->rkey);
    mixed.from.put_piece(mixed.data.piece(0, 512));
    const std::uint16_t index = mixed.from.end();
    mixed.from.ring();
    expect_done(mixed.from, index);
    expect_bytes(mixed.data.data, mixed.to.memory.data + n, 512);
  }
}

void one_doorbell_for_many(Mlx5Bench& bench) {
  MixedPair mixed(bench);
  std::uint16_t last = 0;
  for (unsigned n = 0; n < 32; ++n) {
    mixed.data.fill(n, std::size_t{64} * n, 64);
    mixed.from.begin(formats::kWrite);
    mixed.from.put_remote(mixed.to.memory.at(std::size_t{64} * n), mixed.to.memory.mr->rkey);
    mixed.from.put_piece(mixed.data.piece(std::size_t{64} * n, 64));
    last = mixed.from.end(n == 31);
  }
  mixed.from.ring();
  expect_done(mixed.from, last);
  expect_bytes(mixed.data.data, mixed.to.memory.data, 32 * 64);
}

void collapsed(Mlx5Bench& bench) {
  DirectQueue::Setup setup;
  setup.collapsed = true;
  MixedPair mixed(bench, setup);
  std::uint16_t index = 0;
  for (unsigned n = 0; n < 8; ++n) {
    mixed.from.begin(formats::kWrite);
    mixed.from.put_remote(mixed.to.memory.at(0), mixed.to.memory.mr->rkey);
    mixed.from.put_piece(mixed.data.piece(0, 8));
    index = mixed.from.end();
  }
  mixed.from.ring();
  for (int tries = 0; tries < 100'000'000; ++tries) {
    const auto seen = mixed.from.next();
    expect_equal("entry opcode", unsigned{formats::kEntryRequest}, unsigned{seen.opcode});
    if (seen.counter == index) return;
  }
  throw TestFailure{"the last index in entry 0", "others"};
}

void long_inline(Mlx5Bench& bench) {
  MixedPair mixed(bench);
  constexpr std::uint32_t kBytes = 200;
  for (unsigned n = 0; n < 100; ++n) {  // entries of 4 blocks, some across the ring's end
    mixed.data.fill(n, 0, kBytes);
    mixed.from.begin(formats::kWrite);
    mixed.from.put_remote(mixed.to.memory.at(0), mixed.to.memory.mr->rkey);
    std::array<std::byte, 208> bytes{};
    const std::uint32_t head = __builtin_bswap32(kBytes | formats::kInline);
    std::memcpy(bytes.data(), &head, sizeof head);
    std::memcpy(bytes.data() + sizeof head, mixed.data.data, kBytes);
    for (std::size_t at = 0; at < bytes.size(); at += formats::kSegmentBytes)
      std::memcpy(mixed.from.segment(), bytes.data() + at, formats::kSegmentBytes);
    const std::uint16_t index = mixed.from.end();
    mixed.from.ring();
    expect_done(mixed.from, index);
    expect_bytes(mixed.data.data, mixed.to.memory.data, kBytes);
  }
}

void nop(Mlx5Bench& bench) {
  MixedPair mixed(bench);
  mixed.from.begin(formats::kNop);
  const std::uint16_t index = mixed.from.end();
  mixed.from.ring();
  expect_done(mixed.from, index);
}

void masked_add(Mlx5Bench& bench) {
  MixedPair mixed(bench);
  auto* word = reinterpret_cast<std::uint64_t*>(mixed.to.memory.data);
  *word = 0xff;
  mixed.from.begin(formats::kMaskedFetchAdd, formats::kMasked8Bytes);
  mixed.from.put_remote(mixed.to.memory.at(0), mixed.to.memory.mr->rkey);
  std::byte* operands = mixed.from.segment();
  operands[7] = std::byte{0x0f};       // operand of the add
  std::memset(operands + 8, 0xff, 8);  // a boundary after every bit, so there are no carries
  mixed.from.put_piece(mixed.data.piece(0, 8));
  const std::uint16_t index = mixed.from.end();
  mixed.from.ring();
  expect_done(mixed.from, index);
  expect_equal("exclusive or", 0xf0U, *word);
  expect_equal("value before", 0xffU, *reinterpret_cast<std::uint64_t*>(mixed.data.data));
}

void error_entry(Mlx5Bench& bench) {
  MixedPair mixed(bench);
  mixed.from.begin(formats::kWrite);
  mixed.from.put_remote(mixed.to.memory.at(0), mixed.to.memory.mr->rkey ^ 0x7700);
  mixed.from.put_piece(mixed.data.piece(0, 8));
  const std::uint16_t index = mixed.from.end();
  mixed.from.ring();
  const auto seen = mixed.from.next();
  expect_equal("entry opcode", unsigned{formats::kEntryRequestError}, unsigned{seen.opcode});
  expect_equal("syndrome", unsigned{formats::kRemoteAccess}, unsigned{seen.syndrome});
  expect_equal("index", index, seen.counter);
}

void unknown_opcode(Mlx5Bench& bench) {
  MixedPair mixed(bench);
  mixed.from.begin(0x7e);
  mixed.from.end();
  mixed.from.ring();
  expect_equal("entry opcode", unsigned{formats::kEntryRequestError}, unsigned{mixed.from.next().opcode});
}

constexpr Mlx5Test kTests[] = {
    {"capabilities say what the adapter does", capabilities},
    {"mailboxes without a whole head are refused", short_mailboxes},
    {"unknown commands are EINVAL", unknown_commands},
    {"a queue in a umem that is none is refused", no_such_umem},
    {"a queue of parts that do not exist is refused", parts_that_are_none},
    {"a queue of parts of another context is refused", parts_of_another_context},
    {"a umem in use stays", umem_in_use},
    {"a umem of 0 bytes is refused", umem_of_nothing},
    {"states change in their order", state_order},
    {"QUERY_QP gives back what was set", query},
    {"handwritten WRITE arrives, around the ring", handmade_writes},
    {"one doorbell starts 32 entries, one completion ends them", one_doorbell_for_many},
    {"a collapsed completion queue has the last index in its entry 0", collapsed},
    {"inline data runs over blocks and the ring's end", long_inline},
    {"NOP completes", nop},
    {"masked FETCH_ADD with all boundaries is an exclusive or", masked_add},
    {"an error entry has syndrome and index", error_entry},
    {"an unknown opcode is an error entry", unknown_opcode},
};

}  // namespace
}  // namespace devx

const std::span<const Mlx5Test> devx_tests = devx::kTests;

}  // namespace collbench::conformance::mlx5
