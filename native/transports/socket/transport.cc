#include "transports/socket/transport.h"

#include "transports/argument_checks.h"
#include "transports/socket/connect.h"
#include "transports/socket/listen.h"

namespace collbench {
namespace {

using namespace socket;  // NOLINT(google-build-using-namespace): this file is the room's entry

constexpr int kFastLinkMbps = 10'000;
constexpr int kVeryFastLinkMbps = 100'000;

/// Returns the number of TCP connections per peer. Several are used on a fast link, which the copying of one
/// CPU core cannot fill: 4 from 10 Gbit/s on, 8 from 100 Gbit/s on; 1 for slower links, lo and unknown
/// speeds.
/// @param request number from the options, 0 = choose
/// @throws Error(kInvalidArgument) if it is out of range
int choose_streams(int request, const NetworkInterface& interface) {
  if (request < 0 || request > kMaxStreams)
    throw Error(ErrorCode::kInvalidArgument, "socket: streams must be 0 (choose) to " +
                                                 std::to_string(kMaxStreams) + ", got " +
                                                 std::to_string(request));
  if (request != 0) return request;
  if (interface.loopback || interface.speed_mbps < kFastLinkMbps) return 1;
  return interface.speed_mbps < kVeryFastLinkMbps ? 4 : 8;
}

TransportDetail describe(const NetworkInterface& interface, int streams, const TransportOptions& options) {
  TransportDetail detail;
  detail.network_interface = interface.name;
  if (streams > 1) detail.streams = streams;
  if (options.buffer_bytes > 0) detail.buffer_bytes = options.buffer_bytes;
  if (options.spans_hosts && options.interface_name.empty()) detail.chose_interface = true;
  return detail;
}

class SocketTransport final : public Transport {
 public:
  explicit SocketTransport(const TransportOptions& options)
      : token_(options.token),
        planned_(choose_interface(options.interface_name, options.spans_hosts)),
        streams_(choose_streams(options.streams, planned_.interface)),
        buffer_bytes_(options.buffer_bytes),
        detail_(describe(planned_.interface, streams_, options)) {
    require_token(token_);
  }

  std::vector<DeviceProperties> devices() override {
    DeviceProperties device;
    device.name = planned_.interface.name;
    device.pci_path = planned_.interface.pci_path;
    device.detail = detail_;
    if (carried_by_loopback_) device.detail.carried_by_loopback = true;
    device.speed_mbps = planned_.interface.speed_mbps;
    return {device};
  }

  std::unique_ptr<ListenComm> listen(int device) override {
    require_first_device("socket", device);
    return std::make_unique<SocketListenComm>(planned_.address, token_, streams_, buffer_bytes_,
                                              counter_table_);
  }

  std::unique_ptr<Connecting> connect(int device, const ConnectHandle& handle) override {
    require_first_device("socket", device);
    PlannedPeer peer = read_handle(handle, planned_.interface.index);
    if (!planned_.interface.loopback && is_local_address(peer.address)) carried_by_loopback_ = true;
    return std::make_unique<SocketConnecting>(planned_, std::move(peer), token_, buffer_bytes_,
                                              counter_table_);
  }

  [[nodiscard]] TransportCounters counters() const override { return counter_table_->sum(); }

 private:
  std::string token_;
  PlannedInterface planned_;
  int streams_;
  int buffer_bytes_;
  TransportDetail detail_;
  bool carried_by_loopback_ = false;
  std::shared_ptr<CounterTable> counter_table_ = std::make_shared<CounterTable>();
};

}  // namespace

Availability probe_socket(const TransportOptions& options) {
  Availability availability;
  try {
    const PlannedInterface planned = choose_interface(options.interface_name, options.spans_hosts);
    availability.available = true;
    availability.detail =
        describe(planned.interface, choose_streams(options.streams, planned.interface), options);
  } catch (const Error& error) {
    availability.reason = error.what();
    availability.remedy =
        options.interface_name.empty()
            ? "Bring up a network interface with an address: ip link set lo up."
            : "Name an interface that is up and has an address, or name none and let collbench choose.";
  }
  return availability;
}

std::unique_ptr<Transport> create_socket(const TransportOptions& options) {
  return std::make_unique<SocketTransport>(options);
}

}  // namespace collbench
