#pragma once
// Connection setup. The listener waits on a local socket; the connector proves that it knows the
// run's token. The listener tries to read a word of the connector's memory, which shows whether messages can
// be copied directly between the processes. It then creates the connection's shared memory and sends it with
// its own proof.
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "transports/shm/connection.h"
#include "transports/transport.h"

namespace collbench::shm {

/// Settings that all connections of one transport share: the run's secret, whether the kernel may copy large
/// messages directly between processes, whether this process may sleep in poll() while it waits, and how
/// counters for a new comm are made.
struct ConnectionOptions {
  std::string token;
  bool may_copy_once = true;
  bool sleeps = true;
  MakeCounters make_counters;
};

class ShmListenComm final : public ListenComm {
 public:
  /// Opens the local socket on which connectors arrive.
  /// @throws Error(kUnavailable) if the system refuses the socket
  explicit ShmListenComm(ConnectionOptions options);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  std::unique_ptr<RecvComm> accept() override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  struct PendingConnection {
    FileDescriptor line;
    pid_t process = 0;
    std::unique_ptr<ipc::SharedMemory> memory;  // set once the request is answered
    CopyMode copy_mode = CopyMode::kTwoCopies;
    bool sleeps = true;
  };
  enum class HandshakeStep : std::uint8_t { kPending, kConnected, kDropped };
  HandshakeStep advance(PendingConnection& pending);
  bool answer(PendingConnection& pending, const ConnectRequest& request);

  ConnectionOptions options_;
  ListenerHandle own_;
  ConnectHandle handle_{};
  FileDescriptor listener_;
  std::list<PendingConnection> pending_;
};

class ShmConnecting final : public Connecting {
 public:
  /// Starts to connect to a listener.
  /// @throws Error(kProtocol) if the handle is not from this transport and version; Error(kConnectionLost) if
  /// the listener cannot be reached
  ShmConnecting(ConnectionOptions options, const ConnectHandle& handle);
  std::unique_ptr<SendComm> poll() override;
  void add_to_poll(std::vector<pollfd>& set) const override;

 private:
  ConnectionOptions options_;
  ListenerHandle peer_;
  std::uint64_t proof_;
  FileDescriptor socket_;
  pid_t process_ = 0;
};

}  // namespace collbench::shm
