#pragma once
#include <array>
#include <memory>

#include "transports/ibgda/connection.h"

namespace collbench::ibgda {

/// Receiving end of a connection. The sender writes messages and announcements into this process's memory, so
/// the receiver never reads over the link.
class IbgdaRecvComm final : public RecvComm {
 public:
  IbgdaRecvComm(std::unique_ptr<IbgdaConnection> connection, std::shared_ptr<CounterTable> counter_table);
  ~IbgdaRecvComm() override;

  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion* region) override;
  Request* irecv(std::span<const ReceiveBuffer> buffers) override;
  bool test(Request* request, std::size_t* received_bytes) override;
  Request* iflush(std::span<const ReceiveBuffer> buffers) override;

 private:
  struct IbgdaReceive final : Request {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    const Registration* region = nullptr;
    std::unique_ptr<Registration> own;  // registration made for an unregistered buffer
    std::size_t received = 0;
    bool in_use = false, done = false;
  };

  void progress();
  bool post_receive(IbgdaReceive& receive, std::uint64_t number);
  bool take_message();

  std::unique_ptr<IbgdaConnection> connection_;
  std::shared_ptr<CounterTable> counter_table_;
  CommCounters& counters_;
  std::vector<std::unique_ptr<Registration>> regions_;
  std::uint64_t next_ = 0, posted_ = 0, taken_ = 0, credited_ = 0;  // numbers of messages
  std::array<IbgdaReceive, kMaxRequests> receives_;
  bool failed_ = false;
};

}  // namespace collbench::ibgda
