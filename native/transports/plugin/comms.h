#pragma once
// The contract's comms over a foreign plugin: pointers in, pointers out, errors already translated by
// ForeignNet.
#include <atomic>
#include <list>
#include <memory>
#include <mutex>

#include "transports/plugin/foreign_net.h"

namespace collbench::plugin {

/// Bytes and messages of one comm: one writer, read by any thread.
struct Tally {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> messages{0};
  void add(std::uint64_t n) noexcept {
    bytes.store(bytes.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    messages.store(messages.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// Shared by a transport and its comms, which may outlive it.
struct Host {
  std::shared_ptr<ForeignNet> net;
  std::mutex mutex;
  std::list<Tally> sent, received;
  std::atomic<bool> tells_sizes{false};  // the plugin has written a size once: its zeros are meant
  Tally& new_tally(bool sends) {
    const std::lock_guard lock(mutex);
    return (sends ? sent : received).emplace_back();
  }
};

std::unique_ptr<ListenComm> listen_on(std::shared_ptr<Host> host, int device);
std::unique_ptr<Connecting> connect_to(std::shared_ptr<Host> host, int device, const ConnectHandle& handle);

}  // namespace collbench::plugin
