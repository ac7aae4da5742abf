#pragma once
#include <array>
#include <memory>

#include "transports/shm/end.h"
#include "transports/transport.h"

namespace collbench::shm {

/// Sending end. Up to a slot's bytes a message is complete when isend() returns, if there is a slot.
class ShmSendComm final : public SendComm {
 public:
  ShmSendComm(std::unique_ptr<End> end, std::shared_ptr<Tally> tally);
  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion*) override {}
  Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) override;
  /// @throws Error(kConnectionLost)
  bool test(Request* request) override;
  void carry_flags(bool on) override { carries_flags_ = on; }
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  struct Message final : Request {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t written = 0;  // into slots
    std::uint64_t offer = 0;  // its number, once made; 0 = none
    std::int32_t tag = 0;
    bool is_whole = false;  // all slots written, the offer made
    bool in_use = false;
  };
  struct Immediate final : Request {};

  [[nodiscard]] bool has_slot();
  void write_cell(const void* data, std::size_t bytes, std::int32_t tag);
  void write_slot(SlotKind kind, const void* payload, std::size_t bytes, std::size_t total, std::int32_t tag);
  [[nodiscard]] bool is_done(const Message& message) const noexcept;
  bool progress();
  void advance(Message& message);

  std::unique_ptr<End> end_;
  Channel& channel_;
  std::shared_ptr<Tally> tally_;
  Immediate immediate_;
  FlaggedWriter cells_;
  bool carries_flags_ = false;
  std::uint64_t slots_written_ = 0;
  std::uint64_t slots_consumed_ = 0;  // last seen
  std::uint64_t offers_made_ = 0;
  std::uint64_t offers_taken_ = 0;  // last seen
  // Messages [writing_, next_) wait for slots, in order.
  std::uint64_t next_ = 0;
  std::uint64_t writing_ = 0;
  std::array<Message, kMaxRequests> messages_;
};

}  // namespace collbench::shm
