#include "transports/sisci/transport.h"

#include <limits.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "core/spin.h"
#include "transports/sisci/handshake.h"

namespace collbench {
namespace {

using sisci::Adapter;
using sisci::SisciLibrary;
using sisci::TransportState;

/// Asks the driver for one property of the adapter (SCI_Q_ADAPTER_...); nullopt if it does not report it.
std::optional<unsigned int> query(const Adapter& adapter, unsigned int subcommand) {
  unsigned int value = 0;
  sci_query_adapter_t request{adapter.number, 0, subcommand, &value};
  sci_error_t error = SCI_ERR_OK;
  adapter.library->SCIQuery(adapter.library->constants.SCI_Q_ADAPTER, &request, 0, &error);
  if (error != SCI_ERR_OK) return std::nullopt;
  return value;
}

/// Returns the sysfs folder of the adapter; "" if there is none. The driver reports bus (8 bits), device (5)
/// and function (3) in one number; PCI domain 0 is assumed.
std::string pci_path(const Adapter& adapter) {
  const auto bdf = query(adapter, adapter.library->constants.SCI_Q_ADAPTER_BDF);
  if (!bdf) return "";
  char path[PATH_MAX];
  std::snprintf(path, sizeof path, "/sys/bus/pci/devices/0000:%02x:%02x.%x", (*bdf >> 8) & 0xFF,
                (*bdf >> 3) & 0x1F, *bdf & 0x7);
  char resolved[PATH_MAX];
  return realpath(path, resolved) != nullptr ? resolved : "";
}

/// Returns the link rate in Mbit/s, from PCIe generation and number of lanes: 2.5 and 5 GT/s with 8b/10b
/// encoding, 8, 16 and 32 GT/s with 128b/130b. 0 if unknown.
int speed_mbps(const Adapter& adapter) {
  constexpr double kLaneMbps[] = {0, 2000, 4000, 7877, 15754, 31508};
  const auto generation = query(adapter, adapter.library->constants.SCI_Q_ADAPTER_LINK_SPEED);
  const auto width = query(adapter, adapter.library->constants.SCI_Q_ADAPTER_LINK_WIDTH);
  if (!generation || !width || *generation < 1 || *generation > 5) return 0;
  return static_cast<int>(kLaneMbps[*generation] * *width);
}

Adapter open_adapter(const TransportOptions& options) {
  Adapter adapter{sisci::open_library(options)};
  const SisciLibrary& library = *adapter.library;
  // Each rank has an emulated adapter of its own; of real adapters the first is used.
  if (library.medium == Medium::kEmulated) adapter.number = static_cast<unsigned int>(options.rank);
  sci_error_t error = SCI_ERR_OK;
  library.SCIGetLocalNodeId(adapter.number, &adapter.node_id, 0, &error);
  if (error != SCI_ERR_OK)
    throw Error(ErrorCode::kUnavailable, library.path + " has no adapter " + std::to_string(adapter.number) +
                                             ": SCIGetLocalNodeId failed with " + library.error_text(error) +
                                             "; check the card and its driver, remove the library from the "
                                             "search path, or use --sisci-library "
                                             "softntb");
  return adapter;
}

/// Returns the number of threads that copy received data for a rank: the environment variable
/// COLLBENCH_SISCI_COPIERS if it is set, limited to 0 to 64. Otherwise half of the cores that ranks leave
/// free, divided by the number of ranks, at most 4; 0 on machines with up to 4 cores.
unsigned count_copiers(const TransportOptions& options) {
  constexpr int kFewCores = 4, kMost = 4;
  if (const char* wanted = getenv("COLLBENCH_SISCI_COPIERS"); wanted != nullptr && *wanted != '\0')
    return static_cast<unsigned>(std::clamp(atoi(wanted), 0, 64));
  const int cores = usable_cores();
  const int ranks = std::max(options.ranks, 1);
  return cores <= kFewCores ? 0 : static_cast<unsigned>(std::clamp((cores - ranks) / (2 * ranks), 0, kMost));
}

class SisciTransport final : public Transport {
 public:
  explicit SisciTransport(const TransportOptions& options)
      : state_(std::make_shared<TransportState>(open_adapter(options), options, count_copiers(options))) {}

  std::vector<DeviceProperties> devices() override {
    const Adapter& adapter = state_->adapter;
    DeviceProperties device;
    device.name = "sisci" + std::to_string(adapter.number);
    device.pci_path = pci_path(adapter);
    device.medium = adapter.library->medium;
    device.flagged_bytes = kMaxFlaggedBytes;
    device.speed_mbps = speed_mbps(adapter);
    device.latency_us =
        1.0F;  // latency of one PIO write over an NTB as vendors state it; softntb's link model may differ
    if (device.medium == Medium::kEmulated) {
      device.detail.software_card = "softntb";
      device.detail.link = state_->options.link;
    } else {
      device.detail.adapter = "SISCI " + adapter.library->version;
      device.detail.adapter_library = adapter.library->path;
      device.detail.node = static_cast<int>(adapter.node_id);
    }
    if (state_->path() >= 0) device.detail.dma = static_cast<DmaPath>(state_->path());
    return {device};
  }

  std::unique_ptr<ListenComm> listen(int device) override {
    require_device(device);
    return std::make_unique<sisci::SisciListenComm>(state_);
  }

  std::unique_ptr<Connecting> connect(int device, const ConnectHandle& handle) override {
    require_device(device);
    return std::make_unique<sisci::SisciConnecting>(state_, handle);
  }

  [[nodiscard]] TransportCounters counters() const override { return state_->counters.sum(); }

 private:
  static void require_device(int device) {
    if (device != 0)
      throw Error(ErrorCode::kInvalidArgument,
                  "the sisci transport has device 0 only, got " + std::to_string(device));
  }
  std::shared_ptr<TransportState> state_;
};

}  // namespace

std::unique_ptr<Transport> create_sisci(const TransportOptions& options) {
  return std::make_unique<SisciTransport>(options);
}

Availability probe_sisci(const TransportOptions& options) {
  return probe_device(
      create_sisci, options,
      "Install Dolphin's driver and library for a real adapter, or use --sisci-library softntb.");
}

}  // namespace collbench
