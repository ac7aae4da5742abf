#include "emulated/conformance/fuzz/fuzz.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace collbench::conformance::mlx5 {
namespace {

namespace formats = collbench::mlx5;
using namespace rdma::devx;

constexpr std::size_t kDirects = 6, kEnds = 6, kMemories = 5;
constexpr std::size_t kMaxBytes = 1 << 18;

constexpr std::uint8_t kOpcodes[] = {
    formats::kNop,      formats::kWrite, formats::kWriteImmediate,    formats::kSend,
    formats::kWait,     formats::kRead,  formats::kSendImmediate,     formats::kCompareSwap,
    formats::kFetchAdd, formats::kDump,  formats::kMaskedCompareSwap, formats::kMaskedFetchAdd,
    formats::kWait};  // last in the list, because it holds the queue: valid work never uses it
constexpr std::uint8_t kSyndromes[] = {formats::kLocalLength,
                                       formats::kLocalQueueOperation,
                                       formats::kLocalProtection,
                                       formats::kFlushed,
                                       formats::kBadResponse,
                                       formats::kLocalAccess,
                                       formats::kRemoteAccess,
                                       formats::kRemoteOperation,
                                       formats::kTransportRetries,
                                       formats::kRemoteInvalidRequest,
                                       formats::kReceiverNotReadyRetries,
                                       formats::kRemoteAborted};

void expect_documented(const DirectQueue::Completion& seen) {
  if (seen.opcode == formats::kEntryRequest) return;
  expect(seen.opcode == formats::kEntryRequestError, "a request completed or in error",
         "entry opcode " + std::to_string(seen.opcode));
  for (const std::uint8_t one : kSyndromes)
    if (one == seen.syndrome) return;
  throw TestFailure{"a documented syndrome", std::to_string(seen.syndrome)};
}

}  // namespace

Fuzz::Fuzz(Mlx5Bench& bench, std::uint64_t seed) : bench_(bench), random_(seed) {
  // The healthy pair has a protection domain of its own, so no key of it is valid for others.
  ibv_pd* common = bench_.pd;
  bench_.pd = healthy_domain_ = bench_.lib.ibv_alloc_pd(bench_.context);
  healthy_ = std::make_unique<ConnectedPair>(bench_);
  bench_.pd = common;
  for (std::size_t n = 0; n < kMemories; ++n)
    memories_.push_back(std::make_unique<TestMemory>(bench_, 64 + below(kMaxBytes)));
  directs_.resize(kDirects);
  ends_.resize(kEnds);
  had_error_.resize(kEnds);
  for (FuzzQueue& one : directs_) replace_direct(one);
  for (std::size_t n = 0; n < kEnds; ++n) replace_end(n);
}

Fuzz::~Fuzz() {
  healthy_.reset();
  bench_.lib.ibv_dealloc_pd(healthy_domain_);
}

ibv_sge Fuzz::random_piece() {
  const TestMemory& memory = random_memory();
  const std::size_t begin = below(memory.bytes) & ~(once_in(3) ? std::size_t{0} : std::size_t{7});
  const auto most = once_in(8) ? memory.bytes - begin : std::min<std::size_t>(memory.bytes - begin, 300);
  ibv_sge piece = memory.piece(
      begin, static_cast<std::uint32_t>(once_in(4) ? std::min<std::size_t>(8, most) : below(most + 1)));
  if (injects_error(20))
    piece.lkey = once_in(2) || dead_keys_.empty() ? static_cast<std::uint32_t>(any())
                                                  : dead_keys_[below(dead_keys_.size())];
  if (injects_error(20)) piece.addr = once_in(2) ? any() : piece.addr + memory.bytes;
  if (injects_error(20)) piece.length = static_cast<std::uint32_t>(any());
  return piece;
}

std::uint32_t Fuzz::random_queue() {
  if (!dead_queues_.empty() && once_in(6)) return dead_queues_[below(dead_queues_.size())];
  if (once_in(10)) return static_cast<std::uint32_t>(any());
  const TestQueuePair* end = ends_[below(kEnds)].get();
  const DirectQueue* direct = directs_[below(kDirects)].queue.get();
  if (end != nullptr && once_in(2)) return end->qp->qp_num;
  return direct == nullptr ? 1 : direct->qpn;
}

void Fuzz::replace_direct(FuzzQueue& one) {
  if (one.queue != nullptr) dead_queues_.push_back(one.queue->qpn);
  one.queue.reset();
  DirectQueue::Setup setup;
  setup.is_dc = once_in(10);
  setup.log_blocks = 4 + static_cast<unsigned>(below(4));
  setup.log_entries = 10;
  one.queue = std::make_unique<DirectQueue>(bench_, setup);
  one.is_spent = false;
  // Connected to a partner that knows it, so that frames are processed instead of refused.
  TestQueuePair* partner = ends_.empty() ? nullptr : ends_[below(kEnds)].get();
  if (partner == nullptr || once_in(8)) {
    one.queue->connect(static_cast<std::uint32_t>(any()) & 0xffffff, bench_.port.lid);
    return;
  }
  one.queue->connect(partner->qp->qp_num, bench_.port.lid);
  if (partner->modify(IBV_QPS_RESET) == 0) partner->connect(one.queue->qpn, bench_.port.lid);
}

void Fuzz::replace_end(std::size_t index) {
  if (ends_[index] != nullptr) dead_queues_.push_back(ends_[index]->qp->qp_num);
  ends_[index].reset();
  EndSetup setup;
  setup.receiver_retries = once_in(2) ? 0 : 7;
  ends_[index] = std::make_unique<TestQueuePair>(bench_, setup, 4096);
  TestQueuePair& end = *ends_[index];
  end.connect(once_in(4) ? random_queue() & 0xffffff : end.qp->qp_num, bench_.port.lid);
  had_error_[index] = false;
}

/// Writes a work queue entry of valid form; opcode, keys, addresses or lengths may be wrong.
void Fuzz::write_entry(DirectQueue& queue) {
  const std::uint8_t opcode = injects_error(12) ? static_cast<std::uint8_t>(any())
                                                : kOpcodes[below(std::size(kOpcodes) - (is_clean_ ? 1 : 0))];
  const bool is_masked = opcode == formats::kMaskedCompareSwap || opcode == formats::kMaskedFetchAdd;
  const bool is_atomic = is_masked || opcode == formats::kCompareSwap || opcode == formats::kFetchAdd;
  const std::uint8_t modifier = !is_masked ? 0 : once_in(2) ? formats::kMasked4Bytes : formats::kMasked8Bytes;
  queue.begin(opcode, injects_error(12) ? static_cast<std::uint8_t>(any()) : modifier);
  const auto random_segment = [&] {
    const std::uint64_t words[2] = {any(), any()};
    std::memcpy(queue.segment(), words, sizeof words);
  };
  if (queue.setup.is_dc) random_segment();
  if (opcode == formats::kWait) random_segment();
  const bool is_local = opcode == formats::kNop || opcode == formats::kDump || opcode == formats::kWait;
  if (!is_local && opcode != formats::kSend && opcode != formats::kSendImmediate) {
    const ibv_sge remote = random_piece();
    queue.put_remote(is_clean_ ? remote.addr & ~7ULL : remote.addr, remote.lkey);
  }
  if (is_atomic) random_segment();
  if (opcode == formats::kMaskedCompareSwap && modifier == formats::kMasked8Bytes) random_segment();
  for (std::uint64_t pieces = is_clean_ && (opcode == formats::kNop || opcode == formats::kWait) ? 0
                              : once_in(5) && !is_atomic                                         ? below(6)
                                                                                                 : 1;
       pieces > 0; --pieces) {
    ibv_sge piece = random_piece();
    if (is_clean_ && is_atomic) piece.length = modifier == formats::kMasked4Bytes ? 4 : 8;
    if (injects_error(12)) piece.length |= formats::kInline;
    queue.put_piece(piece);
  }
  queue.end(!once_in(3));
  ++counts_.entries;
}

void Fuzz::write_garbage(DirectQueue& queue) {
  queue.begin(static_cast<std::uint8_t>(any()), static_cast<std::uint8_t>(any()));
  for (std::uint64_t segments = below(10); segments > 0; --segments) {
    const std::uint64_t words[2] = {any(), any()};
    std::memcpy(queue.segment(), words, sizeof words);
  }
  queue.end(once_in(2));
  ++counts_.entries;
}

void Fuzz::act_direct() {
  FuzzQueue& one = directs_[below(kDirects)];
  if (one.is_spent || once_in(200)) return replace_direct(one);
  DirectQueue& queue = *one.queue;
  const std::uint32_t blocks = 1U << queue.setup.log_blocks;
  constexpr std::uint32_t kLongest = 4;  // highest number of blocks in an entry written here
  for (std::uint64_t entries = 1 + below(4); entries > 0; --entries) {
    if (queue.producer() + kLongest > blocks) {
      one.is_spent = true;  // the adapter may still read entries that more writing would overwrite
      break;
    }
    injects_error(5) ? write_garbage(queue) : write_entry(queue);
  }
  const bool lies = injects_error(15);
  one.is_spent = one.is_spent || lies;
  queue.ring(lies ? static_cast<std::uint32_t>(any()) : queue.producer());
  ++counts_.doorbells;
}

void Fuzz::act_verbs() {
  const std::size_t index = below(kEnds);
  if (had_error_[index] ? !once_in(4) : once_in(60)) return replace_end(index);
  TestQueuePair& end = *ends_[index];
  ibv_sge pieces[4];
  for (ibv_sge& piece : pieces) piece = random_piece();
  if (once_in(3)) {
    end.post_receive(any(), pieces[0]);
    return;
  }
  ibv_send_wr request{};
  request.wr_id = any();
  request.sg_list = pieces;
  request.num_sge = static_cast<int>(below(5));
  request.opcode = static_cast<ibv_wr_opcode>(injects_error(10) ? below(300) : below(7));
  request.send_flags = static_cast<unsigned>(any()) & 7;
  const ibv_sge remote = random_piece();
  if (request.opcode == IBV_WR_ATOMIC_CMP_AND_SWP || request.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
    if (is_clean_) {
      request.num_sge = 1;
      pieces[0].length = 8;
    }
    request.wr.atomic = {is_clean_ ? remote.addr & ~7ULL : remote.addr, any(), any(), remote.lkey};
  } else {
    request.wr.rdma = {remote.addr, remote.lkey};
  }
  if (once_in(6)) {  // the call reads inline data itself, so addresses must be valid
    request.send_flags |= IBV_SEND_INLINE;
    for (ibv_sge& piece : pieces) piece = random_memory().piece(0, static_cast<std::uint32_t>(below(40)));
  }
  end.post(request);
  ++counts_.entries;
}

void Fuzz::act_state() {
  if (once_in(2)) {
    TestQueuePair& end = *ends_[below(kEnds)];
    ibv_qp_attr attr{};
    attr.qp_state = static_cast<ibv_qp_state>(below(9));
    attr.port_num = static_cast<std::uint8_t>(below(3));
    attr.dest_qp_num = random_queue();
    attr.ah_attr.dlid = once_in(3) ? static_cast<std::uint16_t>(any()) : bench_.port.lid;
    attr.qp_access_flags = static_cast<unsigned>(any());
    attr.path_mtu = static_cast<ibv_mtu>(below(8));
    attr.rnr_retry = static_cast<std::uint8_t>(below(10));
    bench_.lib.ibv_modify_qp(end.qp, &attr,
                             once_in(3) ? static_cast<int>(any()) : static_cast<int>(IBV_QP_STATE));
  } else {
    constexpr std::uint16_t kChanges[] = {kRst2Init, kInit2Rtr, kRtr2Rts,  kRts2Rts,
                                          kQp2Err,   kQp2Rst,   kInit2Init};
    FuzzQueue& one = directs_[below(kDirects)];
    const std::uint16_t opcode = kChanges[below(std::size(kChanges))];
    one.queue->change(opcode);
    one.is_spent = one.is_spent || opcode == kQp2Rst;  // the index counts from 0 again
  }
}

/// Sends a DEVX command of random length and content. Its two buffers have exactly the lengths that the call
/// names, so that a sanitizer finds any access beyond them.
void Fuzz::act_command() {
  constexpr std::uint16_t kCommands[] = {kQueryHcaCap, kCreateCq, kCreateQp, kQueryQp,
                                         kRst2Init,    kInit2Rtr, kDestroyQp};
  const std::size_t in_bytes = once_in(3) ? below(40) : below(400), out_bytes = below(400);
  const std::unique_ptr<std::byte[]> in(new std::byte[in_bytes]), out(new std::byte[out_bytes]);
  for (std::size_t n = 0; n < in_bytes; ++n)
    in[n] = once_in(3) ? std::byte{0} : static_cast<std::byte>(any());
  const DirectQueue& queue = *directs_[below(kDirects)].queue;
  if (in_bytes >= kMailboxHeadBytes) {
    set(in.get(), kOpcode, kCommands[below(std::size(kCommands))]);
    set(in.get(), kInObject, once_in(4) ? any() : queue.qpn);
  }
  if (in_bytes >= bytes_to(kWqUmemValid) && once_in(2)) {  // makes more of it valid
    set(in.get(), inside(kQpcInMailbox, qpc::kUarPage), queue.uar->page_id);
    set(in.get(), inside(kQpcInMailbox, qpc::kDbrUmemId), queue.umem->umem_id);
    set(in.get(), kWqUmemId, queue.umem->umem_id);
  }
  ++counts_.commands;
  const VerbsLibrary& lib = bench_.lib;
  switch (below(4)) {
    case 0:
      lib.mlx5dv_devx_general_cmd(bench_.context, in.get(), in_bytes, out.get(), out_bytes);
      break;
    case 1:
      if (auto* made = lib.mlx5dv_devx_obj_create(bench_.context, in.get(), in_bytes, out.get(), out_bytes))
        expect_errno("destroying what was made", {0}, lib.mlx5dv_devx_obj_destroy(made));
      break;
    case 2:
      lib.mlx5dv_devx_obj_query(queue.qp, in.get(), in_bytes, out.get(), out_bytes);
      break;
    default:
      lib.mlx5dv_devx_obj_query(queue.cq, in.get(), in_bytes, out.get(), out_bytes);
      break;
  }
}

void Fuzz::act_memory() {
  std::unique_ptr<TestMemory>& memory = memories_[below(kMemories)];
  dead_keys_.push_back(memory->mr->rkey);
  memory.reset();  // frees its bytes too
  memory = std::make_unique<TestMemory>(bench_, 64 + below(kMaxBytes),
                                        once_in(10) ? static_cast<int>(IBV_ACCESS_LOCAL_WRITE) : kRights);
}

void Fuzz::collect() {
  for (FuzzQueue& one : directs_) {
    DirectQueue::Completion seen{};
    while (one.queue->poll(&seen)) {
      expect_documented(seen);
      ++counts_.completions;
      const bool is_error = seen.opcode != formats::kEntryRequest;
      counts_.errors += is_error;
      one.is_spent = one.is_spent || (is_error && !once_in(4));
    }
  }
  for (std::size_t index = 0; index < kEnds; ++index) {
    const auto& end = ends_[index];
    ibv_wc wc[16];
    int count = 0;
    while ((count = end->cq->context->ops.poll_cq(end->cq, 16, wc)) > 0)
      for (int n = 0; n < count; ++n) {
        expect(wc[n].status >= IBV_WC_SUCCESS && wc[n].status <= IBV_WC_GENERAL_ERR, "a documented status",
               std::to_string(wc[n].status));
        expect_equal("number of its queue", end->qp->qp_num, wc[n].qp_num);
        ++counts_.completions;
        const bool is_error = wc[n].status != IBV_WC_SUCCESS;
        counts_.errors += is_error;
        had_error_[index] = had_error_[index] || is_error;
      }
  }
  for (auto* list : {&dead_keys_, &dead_queues_})
    if (list->size() > 1000) list->erase(list->begin(), list->begin() + 500);
}

void Fuzz::check_healthy() {
  ConnectedPair& link = *healthy_;
  const std::uint32_t bytes = 1 + static_cast<std::uint32_t>(below(60'000));
  link.a.memory.fill(++healthy_round_, 0, bytes);
  ibv_sge piece = link.a.memory.piece(0, bytes);
  expect_errno("post_send beside the garbage", {0},
               link.a.post(write_request(healthy_round_, &piece, link.b.memory, 0)));
  link.a.next(healthy_round_, IBV_WC_SUCCESS);
  expect_bytes(link.a.memory.data, link.b.memory.data, bytes);
  ++counts_.checks;
}

void Fuzz::round() {
  ++counts_.rounds;
  is_clean_ = !once_in(4);
  const std::uint64_t act = below(100);
  if (act < 45) {
    act_direct();
  } else if (act < 80) {
    act_verbs();
  } else if (act < 88) {
    act_state();
  } else if (act < 96) {
    act_command();
  } else {
    act_memory();
  }
  collect();
  if (counts_.rounds % 32 == 0) check_healthy();
}

}  // namespace collbench::conformance::mlx5
