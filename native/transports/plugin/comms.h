#pragma once
// Comms over a foreign plugin. Handles are the plugin's pointers; ForeignNet has already translated errors.
#include <atomic>
#include <memory>

#include "transports/counters.h"
#include "transports/plugin/foreign_net.h"

namespace collbench::plugin {

/// State that the transport `plugin` shares with its comms, which may live longer than the transport: the
/// loaded net plugin and traffic counters.
struct PluginShare {
  std::shared_ptr<ForeignNet> net;
  CounterTable counters;
  /// True once the plugin has reported the length of a received message. From then on a reported length of 0
  /// means an empty message; before, it means that the plugin does not report lengths.
  std::atomic<bool> reports_sizes{false};
};

/// Makes a listener on a network device of the net plugin.
/// @param host the loaded plugin and its counters, also for connect_to()
/// @param device number of the device, from 0
std::unique_ptr<ListenComm> listen_on(std::shared_ptr<PluginShare> host, int device);
/// Starts to connect, through a network device of the net plugin, to the listener with this handle.
std::unique_ptr<Connecting> connect_to(std::shared_ptr<PluginShare> host, int device,
                                       const ConnectHandle& handle);

}  // namespace collbench::plugin
