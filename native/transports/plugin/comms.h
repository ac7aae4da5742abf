#pragma once
// Comms over a foreign plugin. Handles are the plugin's pointers; ForeignNet has already translated errors.
#include <atomic>
#include <memory>

#include "transports/counters.h"
#include "transports/plugin/foreign_net.h"

namespace collbench::plugin {

/// State shared by a transport and its comms, which may outlive it.
struct PluginShare {
  std::shared_ptr<ForeignNet> net;
  CounterTable counters;
  /// true once the plugin has written a size: later zeros are real sizes
  std::atomic<bool> reports_sizes{false};
};

std::unique_ptr<ListenComm> listen_on(std::shared_ptr<PluginShare> host, int device);
std::unique_ptr<Connecting> connect_to(std::shared_ptr<PluginShare> host, int device,
                                       const ConnectHandle& handle);

}  // namespace collbench::plugin
