#include "transports/sisci/objects.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

#include "core/error.h"
#include "core/log.h"
#include "core/spin.h"

namespace collbench::sisci {
namespace {

// Releasing returns BUSY while the peer still uses the resource. After this many tries the driver keeps it
// until the process ends, which is logged and harmless.
constexpr int kReleaseTries = 64;

template <typename Call>
void release(const SisciLibrary& library, const char* what, Call call) noexcept {
  sci_error_t error = SCI_ERR_OK;
  for (int i = 0; i < kReleaseTries; ++i) {
    error = SCI_ERR_OK;
    call(&error);
    if (error != SCI_ERR_BUSY) break;
    yield_core();
  }
  if (error != SCI_ERR_OK && log_enabled(LogLevel::kDebug))
    log(LogLevel::kDebug, std::string("sisci: ") + what + " answered " + library.error_text(error));
}

bool is_not_ready(sci_error_t error) {
  return error == SCI_ERR_NO_SUCH_SEGMENT || error == SCI_ERR_CONNECTION_REFUSED ||
         error == SCI_ERR_TIMEOUT || error == SCI_ERR_BUSY || error == SCI_ERR_NO_SUCH_INTNO ||
         error == SCI_ERR_NO_SUCH_NODEID || error == SCI_ERR_NODE_NOT_RESPONDING;
}

std::string segment_name(unsigned int node_id, unsigned int segment_id) {
  return "segment " + std::to_string(segment_id) + " of node " + std::to_string(node_id);
}

/// Returns a new segment id, for drivers that cannot choose one (SCI_FLAG_AUTO_ID). It consists of 16 bits of
/// the process id and 16 of a counter, so that ids on a node are rarely equal.
unsigned int next_segment_id() {
  static std::atomic<unsigned int> counter{0};
  return (static_cast<unsigned int>(getpid()) & 0xFFFFU) << 16 | (counter.fetch_add(1) & 0xFFFFU);
}

}  // namespace

Descriptor::Descriptor(const Adapter& adapter) : library_(adapter.library) {
  sci_error_t error = SCI_ERR_OK;
  library_->SCIOpen(&descriptor_, 0, &error);
  check(*library_, error, "SCIOpen", "a descriptor");
}

Descriptor::~Descriptor() {
  release(*library_, "SCIClose", [&](sci_error_t* error) { library_->SCIClose(descriptor_, 0, error); });
}

LocalSegment::LocalSegment(const Adapter& adapter, std::size_t bytes)
    : adapter_(adapter), descriptor_(adapter), bytes_(bytes) {
  const SisciLibrary& library = *adapter_.library;
  create(0);
  try {
    publish();
    sci_error_t error = SCI_ERR_OK;
    data_ =
        static_cast<std::byte*>(library.SCIMapLocalSegment(segment_, &map_, 0, bytes_, nullptr, 0, &error));
    check(library, error, "SCIMapLocalSegment", std::to_string(bytes_) + " bytes");
    std::memset(data_, 0, bytes_);
  } catch (...) {
    remove();
    throw;
  }
}

LocalSegment::LocalSegment(const Adapter& adapter, void* address, std::size_t bytes)
    : adapter_(adapter), descriptor_(adapter), data_(static_cast<std::byte*>(address)), bytes_(bytes) {
  const SisciLibrary& library = *adapter_.library;
  create(library.constants.SCI_FLAG_EMPTY);
  try {
    sci_error_t error = SCI_ERR_OK;
    library.SCIRegisterSegmentMemory(address, bytes_, segment_, library.constants.SCI_FLAG_LOCK_USER_MEM,
                                     &error);
    check(library, error, "SCIRegisterSegmentMemory", std::to_string(bytes_) + " bytes of user memory");
    publish();
  } catch (...) {
    remove();
    throw;
  }
}

LocalSegment::~LocalSegment() { remove(); }

void LocalSegment::create(unsigned int flags) {
  const SisciLibrary& library = *adapter_.library;
  sci_error_t error = SCI_ERR_OK;
  library.SCICreateSegment(descriptor_.get(), &segment_, 0, bytes_, nullptr, nullptr,
                           flags | library.constants.SCI_FLAG_AUTO_ID, &error);
  if (error == SCI_ERR_ILLEGAL_FLAG || error == SCI_ERR_FLAG_NOT_IMPLEMENTED) {
    do {
      error = SCI_ERR_OK;
      library.SCICreateSegment(descriptor_.get(), &segment_, next_segment_id(), bytes_, nullptr, nullptr,
                               flags, &error);
    } while (error == SCI_ERR_SEGMENTID_USED);
  }
  check(library, error, "SCICreateSegment", std::to_string(bytes_) + " bytes");
  id_ = library.SCIGetLocalSegmentId(segment_);
}

void LocalSegment::publish() {
  const SisciLibrary& library = *adapter_.library;
  sci_error_t error = SCI_ERR_OK;
  library.SCIPrepareSegment(segment_, adapter_.number, 0, &error);
  check(library, error, "SCIPrepareSegment", std::to_string(bytes_) + " bytes");
  library.SCISetSegmentAvailable(segment_, adapter_.number, 0, &error);
  check(library, error, "SCISetSegmentAvailable", segment_name(adapter_.node_id, id_));
}

void LocalSegment::remove() noexcept {
  const SisciLibrary& library = *adapter_.library;
  sci_error_t error = SCI_ERR_OK;
  library.SCISetSegmentUnavailable(segment_, adapter_.number, 0, &error);
  if (map_ != nullptr)
    release(library, "SCIUnmapSegment", [&](sci_error_t* e) { library.SCIUnmapSegment(map_, 0, e); });
  release(library, "SCIRemoveSegment", [&](sci_error_t* e) {
    library.SCIRemoveSegment(segment_, library.constants.SCI_FLAG_FORCE_REMOVE, e);
  });
}

RemoteSegment::RemoteSegment(const Adapter& adapter, unsigned int node_id, unsigned int segment_id)
    : adapter_(adapter),
      descriptor_(adapter),
      node_id_(node_id),
      segment_id_(segment_id),
      write_combining_(adapter.library->medium == Medium::kHardware) {}

RemoteSegment::~RemoteSegment() {
  if (sequence_ != nullptr)
    release(library(), "SCIRemoveSequence",
            [&](sci_error_t* e) { library().SCIRemoveSequence(sequence_, 0, e); });
  if (map_ != nullptr)
    release(library(), "SCIUnmapSegment", [&](sci_error_t* e) { library().SCIUnmapSegment(map_, 0, e); });
  if (segment_ != nullptr)
    release(library(), "SCIDisconnectSegment",
            [&](sci_error_t* e) { library().SCIDisconnectSegment(segment_, 0, e); });
}

bool RemoteSegment::connect() {
  if (segment_ != nullptr) return true;
  sci_error_t error = SCI_ERR_OK;
  library().SCIConnectSegment(descriptor_.get(), &segment_, node_id_, segment_id_, adapter_.number, nullptr,
                              nullptr, 0, 0, &error);
  if (error == SCI_ERR_OK) return true;
  segment_ = nullptr;
  if (is_not_ready(error)) return false;
  check(library(), error, "SCIConnectSegment", segment_name(node_id_, segment_id_));
  return false;
}

std::byte* RemoteSegment::map(std::size_t bytes) {
  sci_error_t error = SCI_ERR_OK;
  volatile void* address = library().SCIMapRemoteSegment(segment_, &map_, 0, bytes, nullptr, 0, &error);
  if (error != SCI_ERR_OK) map_ = nullptr;
  check(library(), error, "SCIMapRemoteSegment", segment_name(node_id_, segment_id_));
  library().SCICreateMapSequence(map_, &sequence_, 0, &error);
  if (error != SCI_ERR_OK) sequence_ = nullptr;
  check(library(), error, "SCICreateMapSequence", segment_name(node_id_, segment_id_));
  library().SCIStartSequence(sequence_, 0, &error);
  check(library(), error, "SCIStartSequence", segment_name(node_id_, segment_id_));
  data_ = static_cast<std::byte*>(const_cast<void*>(address));
  return data_;
}

void RemoteSegment::check_alive() {
  sci_error_t error = SCI_ERR_OK;
  sci_error_t status = SCI_ERR_OK;
  const auto event = library().SCIWaitForRemoteSegmentEvent(segment_, &status, 0, 0, &error);
  if (error == SCI_ERR_OK &&
      (event == SCI_CB_LOST || event == SCI_CB_DISCONNECT || event == SCI_CB_NOT_OPERATIONAL))
    throw Error(ErrorCode::kConnectionLost,
                segment_name(node_id_, segment_id_) + (event == SCI_CB_NOT_OPERATIONAL
                                                           ? ": the link went down"
                                                           : " is gone: the peer ended or closed"));
  if (sequence_ == nullptr) return;
  error = SCI_ERR_OK;
  const auto sequence = library().SCICheckSequence(sequence_, 0, &error);
  check(library(), error, "SCICheckSequence", segment_name(node_id_, segment_id_));
  // The driver does not say which stores were lost, so even a retriable error ends the connection.
  if (sequence == SCI_SEQ_NOT_RETRIABLE || sequence == SCI_SEQ_RETRIABLE)
    throw Error(ErrorCode::kConnectionLost, "stores to " + segment_name(node_id_, segment_id_) +
                                                " were lost on the link (SCICheckSequence reports an error)");
}

DmaQueue::DmaQueue(const Adapter& adapter) : descriptor_(adapter) {
  sci_error_t error = SCI_ERR_OK;
  descriptor_.library().SCICreateDMAQueue(descriptor_.get(), &queue_, adapter.number, 1, 0, &error);
  check(descriptor_.library(), error, "SCICreateDMAQueue",
        "a queue on adapter " + std::to_string(adapter.number));
}

DmaQueue::~DmaQueue() {
  const SisciLibrary& library = descriptor_.library();
  abort();
  release(library, "SCIRemoveDMAQueue", [&](sci_error_t* e) { library.SCIRemoveDMAQueue(queue_, 0, e); });
}

void DmaQueue::abort() noexcept {
  const SisciLibrary& library = descriptor_.library();
  sci_error_t error = SCI_ERR_OK;
  if (busy_ && library.SCIDMAQueueState(queue_) == SCI_DMAQUEUE_POSTED)
    library.SCIAbortDMAQueue(queue_, 0, &error);
}

bool DmaQueue::start(const LocalSegment& from, std::size_t from_offset, const RemoteSegment& to,
                     std::size_t to_offset, std::size_t bytes) {
  sci_error_t error = SCI_ERR_OK;
  descriptor_.library().SCIStartDmaTransfer(queue_, from.get(), to.get(), from_offset, bytes, to_offset,
                                            nullptr, nullptr, 0, &error);
  return started(error, "SCIStartDmaTransfer");
}

bool DmaQueue::start_from_user(const void* from, const RemoteSegment& to, std::size_t to_offset,
                               std::size_t bytes) {
  sci_error_t error = SCI_ERR_OK;
  descriptor_.library().SCIStartDmaTransferMem(queue_, const_cast<void*>(from), to.get(), bytes, to_offset,
                                               nullptr, nullptr, 0, &error);
  return started(error, "SCIStartDmaTransferMem");
}

bool DmaQueue::started(sci_error_t error, const char* call) {
  if (error == SCI_ERR_BUSY) return false;
  check(descriptor_.library(), error, call, "a message");
  busy_ = true;
  return true;
}

bool DmaQueue::has_finished() {
  if (!busy_) return true;
  const auto state = descriptor_.library().SCIDMAQueueState(queue_);
  if (state == SCI_DMAQUEUE_POSTED || state == SCI_DMAQUEUE_GATHER) return false;
  busy_ = false;
  if (state == SCI_DMAQUEUE_ERROR || state == SCI_DMAQUEUE_ABORTED)
    throw Error(ErrorCode::kConnectionLost,
                state == SCI_DMAQUEUE_ERROR ? "a DMA transfer ended in error: the link or the peer is gone"
                                            : "a DMA transfer was aborted");
  return true;
}

DataInterrupt::DataInterrupt(const Adapter& adapter) : descriptor_(adapter) {
  sci_error_t error = SCI_ERR_OK;
  descriptor_.library().SCICreateDataInterrupt(descriptor_.get(), &interrupt_, adapter.number, &number_,
                                               nullptr, nullptr, 0, &error);
  check(descriptor_.library(), error, "SCICreateDataInterrupt", "adapter " + std::to_string(adapter.number));
}

DataInterrupt::~DataInterrupt() {
  const SisciLibrary& library = descriptor_.library();
  release(library, "SCIRemoveDataInterrupt",
          [&](sci_error_t* e) { library.SCIRemoveDataInterrupt(interrupt_, 0, e); });
}

std::optional<std::size_t> DataInterrupt::receive(std::span<std::byte> buffer) {
  sci_error_t error = SCI_ERR_OK;
  auto length = static_cast<unsigned int>(buffer.size());
  descriptor_.library().SCIWaitForDataInterrupt(interrupt_, buffer.data(), &length, 0, 0, &error);
  // an overlong message is not ours
  if (error == SCI_ERR_TIMEOUT || error == SCI_ERR_OVERFLOW) return std::nullopt;
  check(descriptor_.library(), error, "SCIWaitForDataInterrupt", "interrupt " + std::to_string(number_));
  return length;
}

RemoteDataInterrupt::RemoteDataInterrupt(const Adapter& adapter, unsigned int node_id, unsigned int number)
    : adapter_(adapter), descriptor_(adapter), node_id_(node_id), number_(number) {}

RemoteDataInterrupt::~RemoteDataInterrupt() {
  const SisciLibrary& library = *adapter_.library;
  if (interrupt_ != nullptr)
    release(library, "SCIDisconnectDataInterrupt",
            [&](sci_error_t* e) { library.SCIDisconnectDataInterrupt(interrupt_, 0, e); });
}

bool RemoteDataInterrupt::send(std::span<const std::byte> message) {
  const SisciLibrary& library = *adapter_.library;
  sci_error_t error = SCI_ERR_OK;
  const std::string name = "interrupt " + std::to_string(number_) + " of node " + std::to_string(node_id_);
  if (interrupt_ == nullptr) {
    library.SCIConnectDataInterrupt(descriptor_.get(), &interrupt_, node_id_, adapter_.number, number_, 0, 0,
                                    &error);
    if (error != SCI_ERR_OK) interrupt_ = nullptr;
    if (is_not_ready(error)) return false;
    check(library, error, "SCIConnectDataInterrupt", name);
  }
  library.SCITriggerDataInterrupt(interrupt_, const_cast<std::byte*>(message.data()),
                                  static_cast<unsigned int>(message.size()), 0, &error);
  if (is_not_ready(error)) return false;
  check(library, error, "SCITriggerDataInterrupt", name);
  return true;
}

}  // namespace collbench::sisci
