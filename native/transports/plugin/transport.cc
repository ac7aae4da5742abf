#include "transports/plugin/transport.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <optional>

#include "core/error.h"
#include "transports/plugin/comms.h"
#include "transports/plugin/software_card.h"

namespace collbench {
namespace {

/// Passes the options to the plugin by environment variables, because the interface has no other way. Our own
/// plugin reads these variables (net_plugin/README.md); other plugins ignore them.
void export_options(const TransportOptions& options) {
  setenv("COLLBENCH_SISCI_TOKEN", options.token.c_str(), 1);
  setenv("COLLBENCH_SISCI_ADAPTER", std::to_string(options.rank).c_str(), 1);
  setenv("COLLBENCH_SISCI_LINK", options.link.c_str(), 1);
  setenv("COLLBENCH_SISCI_FAULT", options.fault.c_str(), 1);
  setenv("COLLBENCH_SISCI_PATH_PROOF", options.path_proof ? "1" : "0", 1);
}

/// Asks the plugin whether real hardware moves its data, by a function that our own plugin exports. kUnknown
/// for plugins without that function.
Medium medium_of(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return Medium::kUnknown;
  using Emulated = int (*)();
  const auto emulated = reinterpret_cast<Emulated>(dlsym(handle, "collbenchNetEmulated"));
  const Medium medium = emulated == nullptr ? Medium::kUnknown
                        : emulated() != 0   ? Medium::kEmulated
                                            : Medium::kHardware;
  dlclose(handle);
  return medium;
}

class PluginTransport final : public Transport {
 public:
  PluginTransport(const TransportOptions& options, int version) : path_(options.library) {
    export_options(options);
    host_->net = plugin::open_foreign_net(path_, version);
    card_ = plugin::SoftwareCard::in_this_process();
    medium_ = card_ ? Medium::kEmulated : medium_of(path_);
  }

  std::vector<DeviceProperties> devices() override {
    std::vector<DeviceProperties> all;
    const int count = host_->net->devices();
    for (int i = 0; i < count; ++i) {
      auto& device = all.emplace_back(host_->net->properties(i));
      device.medium = medium_;
      if (card_) card_->describe(device.detail);
      device.detail.net_plugin = host_->net->name();
      device.detail.net_plugin_version = host_->net->version();
      device.detail.net_plugin_path = path_;
      device.detail.net_plugin_device = device.name;
    }
    return all;
  }

  std::unique_ptr<ListenComm> listen(int device) override {
    require_device(device);
    return plugin::listen_on(host_, device);
  }
  std::unique_ptr<Connecting> connect(int device, const ConnectHandle& handle) override {
    require_device(device);
    return plugin::connect_to(host_, device, handle);
  }

  /// Returns the bytes and messages handed to the plugin. If the plugin uses softmlx5, returns the counts of
  /// the emulated adapter's port instead.
  [[nodiscard]] TransportCounters counters() const override {
    if (card_) return card_->counters();
    return host_->counters.sum();
  }

 private:
  void require_device(int device) {
    const int count = host_->net->devices();
    if (device < 0 || device >= count)
      throw Error(ErrorCode::kInvalidArgument, "the net plugin " + path_ + " has devices 0 to " +
                                                   std::to_string(count - 1) + ", got " +
                                                   std::to_string(device));
  }
  std::string path_;
  std::shared_ptr<plugin::PluginShare> host_ = std::make_shared<plugin::PluginShare>();
  std::optional<plugin::SoftwareCard> card_;
  Medium medium_ = Medium::kUnknown;
};

}  // namespace

std::unique_ptr<Transport> create_plugin(const TransportOptions& options) {
  return create_plugin_version(options, 0);
}

std::unique_ptr<Transport> create_plugin_version(const TransportOptions& options, int version) {
  return std::make_unique<PluginTransport>(options, version);
}

Availability probe_plugin(const TransportOptions& options) {
  Availability answer;
  if (options.library.empty()) {
    answer.reason = "no net plugin named";
    answer.remedy = "Write --transport plugin:/path/to/libnccl-net-x.so.";
    return answer;
  }
  try {
    const auto device = create_plugin(options)->devices().front();
    answer.available = true;
    answer.medium = device.medium;
    answer.detail = device.detail;
    answer.facts["plugin.device"] = device.name;
    answer.facts["plugin.max-comms"] = std::to_string(device.max_comms);
  } catch (const std::exception& error) {
    answer.reason = error.what();
    answer.remedy = "COLLBENCH_LOG=debug shows all that it wrote.";
  }
  return answer;
}

}  // namespace collbench
