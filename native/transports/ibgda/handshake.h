#pragma once
// Connection setup: two ends exchange addresses over a TCP connection that proves the run's token. The
// listener's handle has its queue and memory. The connector sends its own and waits until the connected
// listener writes `ready` into the sender's memory.
#include <memory>

#include "transports/ibgda/connection.h"

namespace collbench::ibgda {

class IbgdaListenComm final : public ListenComm {
 public:
  IbgdaListenComm(Transport& bootstrap, std::shared_ptr<const IbgdaDevice> device,
                  std::shared_ptr<CounterTable> counter_table);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  std::unique_ptr<RecvComm> accept() override;

 private:
  std::unique_ptr<ListenComm> bootstrap_;
  std::unique_ptr<RecvComm> channel_;
  Request* request_ = nullptr;
  std::unique_ptr<IbgdaConnection> connection_;
  std::shared_ptr<CounterTable> counter_table_;
  EndpointAddress peer_{};
  ConnectHandle handle_{};
  bool connected_ = false;
  std::uint32_t ready_end_ = 0;
};

class IbgdaConnecting final : public Connecting {
 public:
  /// Starts to connect to a listener.
  /// @param bootstrap TCP transport over which both ends exchange their addresses
  /// @param counter_table table to which the new comm's traffic is added
  /// @throws Error(kProtocol) if the handle is not from this transport, or the listener has queues of another
  /// type
  IbgdaConnecting(Transport& bootstrap, std::shared_ptr<const IbgdaDevice> device,
                  std::shared_ptr<CounterTable> counter_table, const ConnectHandle& handle);
  std::unique_ptr<SendComm> poll() override;

 private:
  std::unique_ptr<Connecting> bootstrap_;
  std::unique_ptr<SendComm> channel_;
  Request* request_ = nullptr;
  bool sent_ = false;
  std::unique_ptr<IbgdaConnection> connection_;
  std::shared_ptr<CounterTable> counter_table_;
  EndpointAddress own_address_{};
};

}  // namespace collbench::ibgda
