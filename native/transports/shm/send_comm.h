#pragma once
#include <array>
#include <memory>

#include "transports/shm/connection.h"
#include "transports/transport.h"

namespace collbench::shm {

/// Sending end of a connection. isend() itself copies a message of at most kSlotBytes into shared memory, if
/// a slot is free and no earlier message waits. The caller may then reuse its buffer at once.
class ShmSendComm final : public SendComm {
 public:
  ShmSendComm(std::unique_ptr<ShmConnection> end, std::shared_ptr<CommCounters> counters);
  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion*) override {}
  Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) override;
  /// Lets the comm work without waiting. Returns true once: when the receiver has copied the message, or it
  /// is in the shared memory.
  /// @throws Error(kConnectionLost) if the peer has left
  bool test(Request* request) override;
  void carry_flags(bool on) override { carries_flags_ = on; }
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  struct ShmMessage final : Request {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t written = 0;  // bytes copied into slots
    std::uint64_t offer = 0;  // number of its offer; 0 = none made
    std::int32_t tag = 0;
    bool is_whole = false;  // all slots are written and the offer, if any, is made
    bool in_use = false;
  };
  struct Immediate final : Request {};

  [[nodiscard]] bool has_slot();
  void write_cell(const void* data, std::size_t bytes, std::int32_t tag);
  void write_slot(SlotKind kind, const void* payload, std::size_t bytes, std::size_t total, std::int32_t tag);
  [[nodiscard]] bool is_done(const ShmMessage& message) const noexcept;
  bool progress();
  void advance(ShmMessage& message);

  std::unique_ptr<ShmConnection> connection_;
  SharedChannel& channel_;
  std::shared_ptr<CommCounters> counters_;
  Immediate immediate_;
  FlaggedWriter cells_;
  bool carries_flags_ = false;
  std::uint64_t slots_written_ = 0;
  std::uint64_t slots_consumed_ = 0;  // last value read from the channel
  std::uint64_t offers_made_ = 0;
  std::uint64_t offers_taken_ = 0;  // last value read from the channel
  // Messages [writing_, next_) wait for slots, in order.
  std::uint64_t next_ = 0;
  std::uint64_t writing_ = 0;
  std::array<ShmMessage, kMaxRequests> messages_;
};

}  // namespace collbench::shm
