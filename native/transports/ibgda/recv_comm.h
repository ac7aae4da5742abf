#pragma once
#include <array>
#include <memory>

#include "transports/ibgda/link.h"

namespace collbench::ibgda {

/// Receiving end: reads its inbox, which is local memory, and never over the link.
class IbgdaRecvComm final : public RecvComm {
 public:
  IbgdaRecvComm(std::unique_ptr<Link> link, std::shared_ptr<Ledger> ledger);
  ~IbgdaRecvComm() override;

  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion* region) override;
  Request* irecv(std::span<const ReceiveBuffer> buffers) override;
  bool test(Request* request, std::size_t* received_bytes) override;
  Request* iflush(std::span<const ReceiveBuffer> buffers) override;

 private:
  struct Receive final : Request {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    const Registration* region = nullptr;
    std::unique_ptr<Registration> own;  // of memory that nobody registered
    std::size_t received = 0;
    bool in_use = false, done = false;
  };

  void progress();
  bool post(Receive& receive, std::uint64_t number);
  bool take();

  std::unique_ptr<Link> link_;
  std::shared_ptr<Ledger> ledger_;
  std::shared_ptr<Tally> tally_;
  std::vector<std::unique_ptr<Registration>> regions_;
  std::uint64_t next_ = 0, posted_ = 0, taken_ = 0, credited_ = 0;  // messages
  std::array<Receive, kMaxRequests> receives_;
  bool failed_ = false;
};

}  // namespace collbench::ibgda
