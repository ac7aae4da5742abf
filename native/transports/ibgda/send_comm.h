#pragma once
#include <array>
#include <memory>

#include "transports/ibgda/link.h"

namespace collbench::ibgda {

/// Sending end. Short messages are complete when they are in the send ring; long ones go where the receiver
/// posted.
class IbgdaSendComm final : public SendComm {
 public:
  IbgdaSendComm(std::unique_ptr<Link> link, std::shared_ptr<Ledger> ledger);
  ~IbgdaSendComm() override;

  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion* region) override;
  Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) override;
  bool test(Request* request) override;

 private:
  struct Message final : Request {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    const Registration* region = nullptr;
    std::unique_ptr<Registration> own;  // of memory that nobody registered
    std::size_t sent = 0;
    std::uint32_t end = 0;  // block behind its last entry
    bool in_use = false, started = false;
  };

  void progress();
  bool start(Message& message, std::uint64_t number);
  bool start_short(Message& message, std::uint64_t number);
  bool start_long(Message& message, std::uint64_t number);
  void announce(Message& message, std::uint64_t number, bool completes);

  std::unique_ptr<Link> link_;
  SharedPages staging_;
  std::shared_ptr<Ledger> ledger_;
  std::shared_ptr<Tally> tally_;
  std::vector<std::unique_ptr<Registration>> regions_;
  std::uint64_t next_ = 0, started_ = 0;  // messages
  std::array<std::uint32_t, kMaxRequests>
      staged_{};  // block behind the entries that read a part of the staging
  std::array<Message, kMaxRequests> messages_;
  bool failed_ = false;
};

}  // namespace collbench::ibgda
