#include "transports/ibgda/transport.h"

#include "core/error.h"
#include "transports/ibgda/handshake.h"
#include "transports/ibgda/puts.h"
#include "transports/socket/transport.h"

namespace collbench {
namespace {

using namespace ibgda;  // NOLINT(google-build-using-namespace): this file is the room's entry

class IbgdaTransport final : public Transport {
 public:
  explicit IbgdaTransport(const TransportOptions& options)
      : options_(options), kind_(queue_kind(options.queue)), library_(open_library(options)) {}

  std::vector<DeviceProperties> devices() override {
    DeviceProperties device;
    device.medium = library_->medium;
    device.detail.queue = options_.queue;
    device.detail.doorbells = options_.doorbells;
    if (device.medium == Medium::kEmulated) {
      // The name is fixed. Opening the card to ask for it would also fix its settings, which belong to the
      // first use.
      device.name = "mlx5_0";
      device.detail.software_card = "softmlx5";
      device.detail.link = options_.link;
      return {device};
    }
    const IbgdaDevice& adapter = *this->adapter();
    device.name = adapter.name();
    device.pci_path = adapter.pci_path();
    device.speed_mbps = adapter.speed_mbps();
    device.detail.adapter = adapter.name();
    device.detail.adapter_library = library_->path;
    return {device};
  }

  std::unique_ptr<ListenComm> listen(int device) override {
    require_device(device);
    return std::make_unique<IbgdaListenComm>(bootstrap(), adapter(), counter_table_);
  }

  std::unique_ptr<Connecting> connect(int device, const ConnectHandle& handle) override {
    require_device(device);
    return std::make_unique<IbgdaConnecting>(bootstrap(), adapter(), counter_table_, handle);
  }

  PutPort* put_port() override {
    if (port_ == nullptr) port_ = make_put_port(adapter(), counter_table_);
    return port_.get();
  }

  [[nodiscard]] TransportCounters counters() const override { return counter_table_->sum(); }

 private:
  const std::shared_ptr<const IbgdaDevice>& adapter() {
    if (device_ == nullptr) {
      configure(*library_, options_);
      device_ = std::make_shared<const IbgdaDevice>(library_, "", kind_);
    }
    return device_;
  }
  /// Returns the TCP transport through which two ends exchange their addresses. It is made at the first
  /// connection, because a mere test of availability has no token to make it with.
  Transport& bootstrap() {
    if (bootstrap_ == nullptr) bootstrap_ = create_socket(options_);
    return *bootstrap_;
  }
  static void require_device(int device) {
    if (device != 0)
      throw Error(ErrorCode::kInvalidArgument,
                  "the ibgda transport has device 0 only, got " + std::to_string(device));
  }

  TransportOptions options_;
  QueueKind kind_;
  std::shared_ptr<const VerbsLibrary> library_;
  std::shared_ptr<const IbgdaDevice> device_;
  std::unique_ptr<Transport> bootstrap_;
  std::shared_ptr<CounterTable> counter_table_ = std::make_shared<CounterTable>();
  std::unique_ptr<PutPort> port_;
};

}  // namespace

std::unique_ptr<Transport> create_ibgda(const TransportOptions& options) {
  return std::make_unique<IbgdaTransport>(options);
}

Availability probe_ibgda(const TransportOptions& options) {
  return probe_device(
      create_ibgda, options,
      "A real adapter needs a ConnectX-5 or newer with the mlx5 driver, rdma-core 28 or newer, an active "
      "port, and read and write access to /dev/infiniband; else take --medium emulated.");
}

}  // namespace collbench
