#pragma once
#include <array>
#include <memory>

#include "transports/shm/connection.h"
#include "transports/transport.h"

namespace collbench::shm {

/// Receiving end of a connection. It copies messages out of the slots or cells in shared memory, or directly
/// from the sender's memory.
class ShmRecvComm final : public RecvComm {
 public:
  ShmRecvComm(std::unique_ptr<ShmConnection> end, std::shared_ptr<CommCounters> counters);
  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion*) override {}
  /// Posts one receive buffer.
  /// @throws Error(kInvalidArgument) for several buffers
  Request* irecv(std::span<const ReceiveBuffer> buffers) override;
  /// Lets the comm work without waiting. Returns true once: when the message is in the receive buffer.
  /// @throws Error(kProtocol) if the message is larger than its buffer or has another tag;
  /// Error(kConnectionLost) if the peer has left
  bool test(Request* request, std::size_t* received_bytes) override;
  Request* iflush(std::span<const ReceiveBuffer>) override { return nullptr; }
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  struct ShmReceive final : Request {
    std::byte* data = nullptr;
    std::size_t capacity = 0;
    std::size_t received = 0;
    std::int32_t tag = 0;
    bool in_use = false;
    bool is_done = false;
  };

  [[nodiscard]] const ShmSlot* next_slot() const noexcept;
  [[nodiscard]] bool has_more() const noexcept;
  void require_fits(const ShmReceive& receive, std::size_t total, std::int32_t tag) const;
  bool read_cell();
  bool progress();
  bool read(const ShmSlot& slot, ShmReceive& receive);
  bool take_offer(const ShmSlot& slot, ShmReceive& receive);
  void release_slot();

  std::unique_ptr<ShmConnection> connection_;
  SharedChannel& channel_;
  std::shared_ptr<CommCounters> counters_;
  std::uint64_t slots_read_ = 0;
  bool expects_cell_ = false;  // form of the last message; the next one is looked for there first
  std::uint64_t offers_taken_ = 0;
  // Receives [current_, posted_) wait for their messages, in order.
  std::uint64_t posted_ = 0;
  std::uint64_t current_ = 0;
  std::array<ShmReceive, kMaxRequests> receives_;
};

}  // namespace collbench::shm
