#include "transports/ibgda/initiator.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/error.h"

namespace collbench::ibgda {
namespace {

using namespace mlx5;

template <typename Word>
std::atomic_ref<Word> shared_text(void* at) noexcept {
  return std::atomic_ref<Word>(*static_cast<Word*>(at));
}

struct SyndromeText {
  std::uint8_t syndrome;
  const char* text;
};
constexpr SyndromeText kSyndromes[] = {
    {kLocalLength, "local length error"},
    {kLocalQueueOperation, "local queue pair operation error"},
    {kLocalProtection, "local protection error"},
    {kFlushed, "flushed: the queue pair was in error"},
    {kBadResponse, "bad response"},
    {kLocalAccess, "local access error"},
    {kRemoteInvalidRequest, "remote invalid request"},
    {kRemoteAccess, "remote access error"},
    {kRemoteOperation, "remote operation error"},
    {kTransportRetries, "transport retries exceeded: the peer does not answer"},
    {kReceiverNotReadyRetries, "receiver not ready"},
    {kRemoteAborted, "remote aborted"}};

}  // namespace

std::string syndrome_text(std::uint8_t syndrome) {
  char code[8];
  std::snprintf(code, sizeof code, "0x%02x", syndrome);
  for (const SyndromeText& row : kSyndromes)
    if (row.syndrome == syndrome) return std::string(row.text) + " (" + code + ")";
  return std::string("syndrome ") + code;
}

QueueInitiator::QueueInitiator(std::unique_ptr<Queue> queue)
    : queue_(std::move(queue)),
      view_(queue_->view()),
      mask_((1U << view_.log_blocks) - 1),
      ends_(std::size_t{mask_} + 1),
      begins_(std::size_t{mask_} + 1) {}

void QueueInitiator::connect(const QueueAddress& peer) {
  queue_->connect(peer);
  view_ = queue_->view();
}

bool QueueInitiator::has_room(std::uint32_t blocks) {
  if (next_ - completed_ + blocks <= mask_ + 1) return true;
  poll();
  return next_ - completed_ + blocks <= mask_ + 1;
}

Segment* QueueInitiator::segment(std::uint32_t index) const noexcept {
  const std::size_t segments = (std::size_t{mask_} + 1) * kSegmentsPerBlock;
  return view_.ring + (std::size_t{next_} * kSegmentsPerBlock + index) % segments;
}

std::uint32_t QueueInitiator::write_address_segments(std::uint64_t to, std::uint32_t to_key) const noexcept {
  std::uint32_t index = 1;
  if (view_.vector_segments != 0) *segment(index++) = view_.vector;
  *segment(index++) = remote_segment(to, to_key);
  return index;
}

std::uint32_t QueueInitiator::finish(std::uint32_t opcode, std::uint32_t segments, bool completes) noexcept {
  const Segment control = control_segment(opcode, next_, view_.number, segments, completes);
  *segment(0) = control;
  const std::uint32_t begin = next_;
  next_ += (segments + kSegmentsPerBlock - 1) / kSegmentsPerBlock;
  ends_[begin & mask_] = next_;
  begins_[next_ & mask_] = begin;
  ++counters_.entries;
  return next_;
}

std::uint32_t QueueInitiator::write(std::uint64_t to, std::uint32_t to_key, const void* from,
                                    std::uint32_t from_key, std::size_t bytes, bool completes) {
  std::uint32_t segments = write_address_segments(to, to_key);
  // An entry without bytes has no data segment: some adapters read a count of 0 as 2 GiB.
  if (bytes > 0)
    *segment(segments++) =
        data_segment(reinterpret_cast<std::uintptr_t>(from), from_key, static_cast<u32>(bytes));
  return finish(kWrite, segments, completes);
}

std::uint32_t QueueInitiator::inline_blocks(std::size_t bytes) const noexcept {
  return static_cast<std::uint32_t>((inline_data_offset() + bytes + kBlockBytes - 1) / kBlockBytes);
}

std::uint32_t QueueInitiator::write_inline(std::uint64_t to, std::uint32_t to_key, const void* from,
                                           std::size_t bytes, bool completes) {
  std::uint32_t segments = write_address_segments(to, to_key);
  constexpr std::size_t kHere = kSegmentBytes - sizeof(u32);
  Segment first{{big(kInline | static_cast<u32>(bytes)), 0, 0, 0}};
  std::memcpy(&first.words[1], from, std::min(bytes, kHere));
  *segment(segments++) = first;
  for (std::size_t done = kHere; done < bytes; done += kSegmentBytes) {
    Segment more{};
    std::memcpy(&more, static_cast<const std::byte*>(from) + done,
                std::min<std::size_t>(bytes - done, kSegmentBytes));
    *segment(segments++) = more;
  }
  return finish(kWrite, segments, completes);
}

void QueueInitiator::ring_to(std::uint32_t end) noexcept {
  if (rung_ == end) return;
  const std::size_t last = begins_[end & mask_] & mask_;
  const u64 control = doorbell_value(view_.ring[last * kSegmentsPerBlock]);
  // Required order: entries, then the doorbell record, then the register.
  shared_text<u32>(view_.record + kDoorbellSend / sizeof(u32))
      .store(doorbell_record(end), std::memory_order_seq_cst);
  shared_text<u64>(view_.bell).store(control, std::memory_order_seq_cst);
#if defined(__x86_64__)
  asm volatile("sfence" ::: "memory");  // flushes the write-combining buffer of a real register
#endif
  rung_ = end;
  ++counters_.doorbells;
}

void QueueInitiator::adopt(const InitiatorCounters& done) noexcept {
  for (std::uint64_t n = 0; n < done.entries; ++n) {
    ends_[next_ & mask_] = next_ + 1;
    begins_[(next_ + 1) & mask_] = next_;
    ++next_;
  }
  if (done.doorbells > 0) rung_ = next_;
  if (done.completions > 0) {
    taken_ += static_cast<std::uint32_t>(done.completions);
    completed_ = next_;
  }
  counters_.entries += done.entries;
  counters_.doorbells += done.doorbells;
  counters_.completions += done.completions;
}

void QueueInitiator::poll() {
  const VerbsLibrary& library = queue_->device().library();
  if (library.progress != nullptr) library.progress();
  while (completed_ != next_) {
    unsigned char* entry = view_.entries + std::size_t{taken_ & mask_} * kEntryBytes;
    constexpr std::size_t kLast = kEntryBytes - sizeof(u64);
    const u64 last = shared_text<u64>(entry + kLast).load(std::memory_order_acquire);
    unsigned char tail[sizeof last];
    std::memcpy(tail, &last, sizeof last);
    const unsigned char owner = tail[kEntryOwner - kLast];
    const bool is_new = owner >> 4 != kEntryInvalid && (owner & 1) == (taken_ >> view_.log_entries & 1);
    if (!is_new) return;
    ++taken_;
    ++counters_.completions;
    if (owner >> 4 == kEntryRequestError || owner >> 4 == kEntryReceiveError) {
      throw Error(ErrorCode::kConnectionLost, "ibgda: " + queue_->device().name() + ", queue pair " +
                                                  std::to_string(view_.number) + ": " +
                                                  syndrome_text(entry[kEntrySyndrome]));
    }
    const std::uint32_t counter =
        std::uint32_t{tail[kEntryCounter - kLast]} << 8 | tail[kEntryCounter - kLast + 1];
    completed_ = ends_[counter & mask_];
  }
}

}  // namespace collbench::ibgda
