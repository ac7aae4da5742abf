#pragma once
#include "transports/socket/connection.h"
#include "transports/socket/wire.h"
#include "transports/transport.h"

namespace collbench::socket {

/// Sending end of a connection; messages are sent in order. isend() sends a small message at once, by one
/// send(), if no earlier message waits. A larger one is begun by isend() and continued by test(); each call
/// moves about kChunkBytes per stream. So a caller that both sends and receives makes progress with both.
class SocketSendComm final : public SendComm {
 public:
  explicit SocketSendComm(Connection connection);
  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion*) override {}
  Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) override;
  bool test(Request* request) override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  struct Message final : Request {
    const std::byte* data = nullptr;
    WireHeader header;
    int parts_left = 0;  // streams that still have to send bytes of it
  };
  struct Stream {
    int fd = -1;
    /// number of bytes sent of the oldest unfinished message's part on this stream, including the header on
    /// stream 0
    std::size_t done = 0;
    RequestQueue<Message> queue;
  };

  void progress();
  void progress_stream(int index);
  bool send_at_once(Message& message);
  std::size_t send_front(const Stream& stream, const Message& message, StreamPart part, bool with_header);

  Connection connection_;
  std::vector<Stream> streams_;
  RequestPool<Message> pool_;
};

}  // namespace collbench::socket
