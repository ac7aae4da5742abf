#pragma once
#include <array>
#include <memory>

#include "transports/ibgda/connection.h"

namespace collbench::ibgda {

/// Sending end of a connection. For a short message (at most kInlineBytes) the request is done once it is in
/// the send ring, because its data was copied. A longer message is written directly into the buffer that the
/// receiver posted; its request is done when the adapter reports the completion.
class IbgdaSendComm final : public SendComm {
 public:
  IbgdaSendComm(std::unique_ptr<IbgdaConnection> connection, std::shared_ptr<CounterTable> counter_table);
  ~IbgdaSendComm() override;

  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion* region) override;
  Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) override;
  bool test(Request* request) override;

 private:
  struct IbgdaMessage final : Request {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
    const Registration* region = nullptr;
    std::unique_ptr<Registration> own;  // registration made for an unregistered buffer
    std::size_t sent = 0;
    std::uint32_t end = 0;  // block after its last entry
    bool in_use = false, started = false;
  };

  void progress();
  bool start(IbgdaMessage& message, std::uint64_t number);
  bool start_short(IbgdaMessage& message, std::uint64_t number);
  bool start_long(IbgdaMessage& message, std::uint64_t number);
  void announce(IbgdaMessage& message, std::uint64_t number, bool completes);

  std::unique_ptr<IbgdaConnection> connection_;
  SharedPages staging_;
  std::shared_ptr<CounterTable> counter_table_;
  CommCounters& counters_;
  std::vector<std::unique_ptr<Registration>> regions_;
  std::uint64_t next_ = 0, started_ = 0;  // numbers of messages
  std::array<std::uint32_t, kMaxRequests>
      staged_{};  // The block after the last entry that reads each staging slot.
  std::array<IbgdaMessage, kMaxRequests> messages_;
  bool failed_ = false;
};

}  // namespace collbench::ibgda
