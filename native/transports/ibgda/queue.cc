#include "transports/ibgda/queue.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "vendor_api/mlx5/devx.h"

namespace collbench::ibgda {
namespace {

using namespace rdma;
namespace devx = rdma::devx;

constexpr std::size_t kPage = 4096;
constexpr std::uint64_t kQueueRecord = 0, kCompletionRecord = 64;  // offsets in the page of doorbell records
constexpr unsigned kRetries = 7, kAckTimeout = 14;  // timeout of one try: 4.096 us * 2^14 = 67 ms

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

[[noreturn]] void refused(const IbgdaDevice& device, const char* command, const void* out) {
  throw Error(ErrorCode::kUnavailable, device.name() + " refused " + command + ": status " +
                                           std::to_string(devx::get(out, devx::kStatus)) + ", syndrome " +
                                           std::to_string(devx::get(out, devx::kSyndrome)) + ", errno " +
                                           std::to_string(errno));
}

}  // namespace

Queue::Queue(std::shared_ptr<const IbgdaDevice> device, unsigned log_blocks)
    : device_(std::move(device)), log_blocks_(log_blocks) {
  const std::size_t ring = std::size_t{mlx5::kBlockBytes} << log_blocks_;
  const std::size_t entries = std::size_t{mlx5::kEntryBytes} << log_blocks_;
  bytes_ = whole_pages(ring) + whole_pages(entries) + kPage;
  memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory_ == MAP_FAILED)
    throw system_error(ErrorCode::kUnavailable, "ibgda: no memory for a queue", errno);
  auto* base = static_cast<unsigned char*>(memory_);
  view_.ring = reinterpret_cast<Segment*>(base);
  view_.entries = base + whole_pages(ring);
  view_.record = reinterpret_cast<u32*>(base + whole_pages(ring) + whole_pages(entries) + kQueueRecord);
  view_.log_blocks = view_.log_entries = log_blocks_;
  std::memset(view_.entries, 0xFF, entries);  // makes every entry's opcode "invalid"
  try {
    const VerbsLibrary& library = device_->library();
    registered_ = library.mlx5dv_devx_umem_reg(device_->context(), memory_, bytes_, IBV_ACCESS_LOCAL_WRITE);
    if (registered_ == nullptr)
      throw system_error(ErrorCode::kUnavailable, device_->name() + ": umem_reg", errno);
    for (const std::uint32_t kind : {kUarNonCachedDedicated, kUarNonCached, kUarBlueFlame})
      if (uar_ == nullptr) uar_ = library.mlx5dv_devx_alloc_uar(device_->context(), kind);
    if (uar_ == nullptr)
      throw system_error(ErrorCode::kUnavailable, device_->name() + ": no doorbell page (UAR)", errno);
    view_.bell = static_cast<u64*>(uar_->reg_addr);
    create_completion_queue();
    create_queue_pair();
    if (device_->target() != nullptr) make_ready(nullptr);
  } catch (...) {
    release();
    throw;
  }
}

Queue::~Queue() { release(); }

void Queue::release() noexcept {
  const VerbsLibrary& library = device_->library();
  if (pair_ != nullptr) library.mlx5dv_devx_obj_destroy(pair_);
  if (completions_ != nullptr) library.mlx5dv_devx_obj_destroy(completions_);
  if (uar_ != nullptr) library.mlx5dv_devx_free_uar(uar_);
  if (registered_ != nullptr) library.mlx5dv_devx_umem_dereg(registered_);
  munmap(memory_, bytes_);
}

void* Queue::bell_page() const noexcept { return uar_->base_addr; }

void Queue::create_completion_queue() {
  const VerbsLibrary& library = device_->library();
  std::uint32_t events = 0;
  if (library.mlx5dv_devx_query_eqn(device_->context(), 0, &events) != 0)
    throw system_error(ErrorCode::kUnavailable, device_->name() + ": no event queue", errno);
  unsigned char in[devx::kCreateCqInBytes] = {}, out[devx::kCreateCqOutBytes] = {};
  const auto put = [&in](devx::Field field, std::uint64_t value) {
    devx::set(in, devx::inside(devx::kCqcInMailbox, field), value);
  };
  const std::size_t ring = whole_pages(std::size_t{mlx5::kBlockBytes} << log_blocks_);
  const std::size_t records = static_cast<std::size_t>(reinterpret_cast<unsigned char*>(view_.record) -
                                                       static_cast<unsigned char*>(memory_));
  devx::set(in, devx::kOpcode, devx::kCreateCq);
  put(devx::cqc::kDbrUmemValid, 1);
  put(devx::cqc::kOverrunIgnore, 1);  // the initiator never has more in flight than the queue has entries
  put(devx::cqc::kDbrUmemId, registered_->umem_id);
  put(devx::cqc::kLogSize, log_blocks_);
  put(devx::cqc::kUarPage, uar_->page_id);
  put(devx::cqc::kEqn, events);
  put(devx::cqc::kDbrAddr, records + kCompletionRecord);
  devx::set(in, devx::kCqUmemOffset, ring);
  devx::set(in, devx::kCqUmemId, registered_->umem_id);
  devx::set(in, devx::kCqUmemValid, 1);
  completions_ = library.mlx5dv_devx_obj_create(device_->context(), in, sizeof in, out, sizeof out);
  if (completions_ == nullptr) refused(*device_, "CREATE_CQ", out);
  completion_number_ = static_cast<std::uint32_t>(devx::get(out, devx::kOutObject));
}

void Queue::create_queue_pair() {
  unsigned char in[devx::kCreateQpInBytes] = {}, out[devx::kCreateQpOutBytes] = {};
  const auto put = [&in](devx::Field field, std::uint64_t value) {
    devx::set(in, devx::inside(devx::kQpcInMailbox, field), value);
  };
  devx::set(in, devx::kOpcode, devx::kCreateQp);
  put(devx::qpc::kServiceType, device_->target() != nullptr ? devx::qpc::kDci : devx::qpc::kRc);
  put(devx::qpc::kPathMigration, 3);  // path state "migrated": there is no alternate path
  put(devx::qpc::kPd, device_->domain());
  put(devx::qpc::kLogSqSize, log_blocks_);
  put(devx::qpc::kRqType, devx::qpc::kRqNone);
  put(devx::qpc::kUarPage, uar_->page_id);
  put(devx::qpc::kCqnSend, completion_number_);
  put(devx::qpc::kCqnReceive, completion_number_);
  const std::size_t records = static_cast<std::size_t>(reinterpret_cast<unsigned char*>(view_.record) -
                                                       static_cast<unsigned char*>(memory_));
  put(devx::qpc::kDbrAddr, records);
  put(devx::qpc::kDbrUmemValid, 1);
  put(devx::qpc::kDbrUmemId, registered_->umem_id);
  devx::set(in, devx::kWqUmemId, registered_->umem_id);
  devx::set(in, devx::kWqUmemValid, 1);
  pair_ = device_->library().mlx5dv_devx_obj_create(device_->context(), in, sizeof in, out, sizeof out);
  if (pair_ == nullptr) refused(*device_, "CREATE_QP", out);
  view_.number = static_cast<u32>(devx::get(out, devx::kOutObject));
}

QueueAddress Queue::address() const {
  const DcTarget* target = device_->target();
  return {target != nullptr ? target->number() : view_.number,
          device_->lid(),
          static_cast<std::uint8_t>(device_->is_ethernet()),
          static_cast<std::uint8_t>(device_->mtu()),
          target != nullptr ? target->key() : 0,
          device_->gid()};
}

void Queue::connect(const QueueAddress& peer) {
  const bool is_dynamic = device_->target() != nullptr;
  if (is_dynamic != (peer.access_key != 0))
    throw Error(ErrorCode::kProtocol, std::string("ibgda: the peer has queues of kind ") +
                                          (is_dynamic ? "rc, this rank dc" : "dc, this rank rc"));
  if (!is_dynamic) return make_ready(&peer);
  view_.vector_segments = 1;
  view_.vector = vector_segment(peer.access_key, peer.queue, peer.lid);
}

/// Changes the state of the queue pair from reset to ready-to-send.
/// @param peer other end of a reliable connection; nullptr for a DC queue
void Queue::make_ready(const QueueAddress* peer) {
  modify(devx::kRst2Init, peer);
  modify(devx::kInit2Rtr, peer);
  modify(devx::kRtr2Rts, peer);
}

void Queue::modify(std::uint16_t command, const QueueAddress* peer) {
  unsigned char in[devx::kModifyQpInBytes] = {}, out[devx::kModifyQpOutBytes] = {};
  const auto put = [&in](devx::Field field, std::uint64_t value) {
    devx::set(in, devx::inside(devx::kQpcInMailbox, field), value);
  };
  const auto put_path = [&in](devx::Field field, std::uint64_t value) {
    devx::set(in, devx::inside(devx::kQpcInMailbox + devx::qpc::kPrimaryPath, field), value);
  };
  devx::set(in, devx::kOpcode, command);
  devx::set(in, devx::kInObject, view_.number);
  put(devx::qpc::kPathMigration, 3);
  if (peer != nullptr) {  // access rights of the peer
    put(devx::qpc::kRemoteRead, 1);
    put(devx::qpc::kRemoteWrite, 1);
    put(devx::qpc::kRemoteAtomic, 1);
    put(devx::qpc::kAtomicMode, 3);  // atomics of up to 8 bytes
  }
  put_path(devx::path::kPort, kPort);
  if (command == devx::kInit2Rtr) {
    put(devx::qpc::kMtu, peer == nullptr ? device_->mtu() : std::min<unsigned>(peer->mtu, device_->mtu()));
    put(devx::qpc::kLogMsgMax, 30);
  }
  if (command == devx::kInit2Rtr && peer != nullptr) {
    put(devx::qpc::kRemoteQpn, peer->queue);
    put(devx::qpc::kMinRnrNak, 12);
    put(devx::qpc::kLogRraMax, 4);
    put_path(devx::path::kRlid, peer->lid);
    if (peer->is_ethernet != 0) {
      put_path(devx::path::kGrh, 1);
      put_path(devx::path::kHopLimit, 64);
      std::memcpy(in + (devx::kQpcInMailbox + devx::qpc::kPrimaryPath) / 8 + devx::path::kRemoteGidByte,
                  peer->gid.raw, sizeof peer->gid.raw);
    }
  }
  if (command == devx::kRtr2Rts) {
    put(devx::qpc::kRetryCount, kRetries);
    put(devx::qpc::kRnrRetry, kRetries);
    put(devx::qpc::kLogSraMax, 4);
    put_path(devx::path::kAckTimeout, kAckTimeout);
  }
  const int status = device_->library().mlx5dv_devx_obj_modify(pair_, in, sizeof in, out, sizeof out);
  if (status == 0 && devx::get(out, devx::kStatus) == devx::kOk) return;
  refused(*device_,
          command == devx::kRst2Init   ? "RST2INIT"
          : command == devx::kInit2Rtr ? "INIT2RTR"
                                       : "RTR2RTS",
          out);
}

}  // namespace collbench::ibgda
