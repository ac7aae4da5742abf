#pragma once
#include "transports/socket/connection.h"
#include "transports/socket/wire.h"
#include "transports/transport.h"

namespace collbench::socket {

/// Receiving end of a connection; messages arrive in order. On stream 0, headers are read through a small
/// buffer, so that one recv() can bring a header with a small payload, or several messages. The rest of a
/// large payload is read directly into the receive buffer.
class SocketRecvComm final : public RecvComm {
 public:
  explicit SocketRecvComm(Connection connection);
  MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) override;
  void deregister_memory(MemoryRegion*) override {}
  /// Posts one receive buffer.
  /// @throws Error(kInvalidArgument) for several buffers
  Request* irecv(std::span<const ReceiveBuffer> buffers) override;
  /// Lets the comm work without waiting. Returns true once: when the message is in the receive buffer.
  /// @throws Error(kProtocol) if the message is larger than its buffer or has another tag;
  /// Error(kConnectionLost) if the peer has closed the connection
  bool test(Request* request, std::size_t* received_bytes) override;
  Request* iflush(std::span<const ReceiveBuffer>) override { return nullptr; }
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  struct Message final : Request {
    std::byte* data = nullptr;
    std::size_t capacity = 0;
    std::size_t bytes = 0;  // length of the message, known once a header matched
    int tag = 0;
    int parts_left = 0;  // streams that still have bytes of it; counts as 1 until its header is read
  };
  struct Stream {
    int fd = -1;
    std::size_t done = 0;  // bytes received of the oldest unfinished message's part on this stream
    RequestQueue<Message> queue;
  };

  void progress();
  void progress_first();
  void progress_further(int index);
  bool read_header(Message& message);
  bool fill_buffer(const Message& message);
  std::size_t read_payload(Stream& stream, const Message& message, StreamPart part);

  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
  Connection connection_;
  std::vector<Stream> streams_;
  bool matched_ = false;  // true: the header of the oldest unfinished message on stream 0 has been read
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // bytes read ahead: buffer_[begin_, end_)
  RequestPool<Message> pool_;
};

}  // namespace collbench::socket
