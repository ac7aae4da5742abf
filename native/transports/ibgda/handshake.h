#pragma once
// How two ends find each other: over a TCP connection that knows the run's token. The listener's handle has
// its queue and memory; the connector sends its own and waits until the listener, connected by then, writes
// `ready` onto its desk.
#include <memory>

#include "transports/ibgda/link.h"

namespace collbench::ibgda {

class IbgdaListenComm final : public ListenComm {
 public:
  IbgdaListenComm(Transport& meeting, std::shared_ptr<const Device> device, std::shared_ptr<Ledger> ledger);
  [[nodiscard]] const ConnectHandle& handle() const override { return handle_; }
  std::unique_ptr<RecvComm> accept() override;

 private:
  std::unique_ptr<ListenComm> meeting_;
  std::unique_ptr<RecvComm> channel_;
  Request* request_ = nullptr;
  std::unique_ptr<Link> link_;
  std::shared_ptr<Ledger> ledger_;
  End peer_{};
  ConnectHandle handle_{};
  bool connected_ = false;
  std::uint32_t ready_end_ = 0;
};

class IbgdaConnecting final : public Connecting {
 public:
  /// @throws Error(kProtocol) where the handle is none of this transport
  IbgdaConnecting(Transport& meeting, std::shared_ptr<const Device> device, std::shared_ptr<Ledger> ledger,
                  const ConnectHandle& handle);
  std::unique_ptr<SendComm> poll() override;

 private:
  std::unique_ptr<Connecting> meeting_;
  std::unique_ptr<SendComm> channel_;
  Request* request_ = nullptr;
  bool sent_ = false;
  std::unique_ptr<Link> link_;
  std::shared_ptr<Ledger> ledger_;
  End mine_{};
};

}  // namespace collbench::ibgda
