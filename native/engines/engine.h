#pragma once
// An engine is whose collective is measured. One object per rank; connections are made in its factory.
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/collective.h"
#include "transports/transport.h"

namespace collbench {

/// How ranks find each other before there is a data path. Implementations: pipe to the agent (processes),
/// shared object (threads in a test or in Node). Blocking, throws Error on deadline or when another rank has
/// failed.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Everybody gives a blob and gets all of them, by rank. `key` names the exchange in errors; called in
  /// equal order.
  virtual std::vector<std::string> all_gather(std::string_view key, const std::string& mine) = 0;
};

/// One collective call on raw memory. send == recv region for in-place calls as NCCL lays it out.
struct Call {
  Operation operation;
  const void* send = nullptr;
  void* recv = nullptr;
};

struct EngineOptions {
  std::string transport = "socket";
  TransportOptions transport_options;
  std::string algorithm;            // "" = chosen per size; "ring", "direct"
  std::function<bool()> cancelled;  // polled inside waits; true throws Error(kCancelled). May be empty
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Memory for a call's buffers, page aligned, known to the transport (registered once); grows, never
  /// shrinks below `bytes`. Contents undefined. @throws Error(kInternal) when out of memory, naming the
  /// bytes.
  virtual void* buffer(int index /* 0 send, 1 receive */, std::size_t bytes) = 0;
  /// Gives pages of large buffers back to the machine while another launch measures; contents are lost.
  virtual void release_buffers() = 0;
  /// Starts the operation in stream order (cpu: runs it to its end).
  virtual void enqueue(const Call& call) = 0;
  /// Returns when all enqueued operations are complete on this rank.
  virtual void synchronize() = 0;
  /// Algorithm that `enqueue` takes for this operation: "ring", "direct".
  [[nodiscard]] virtual std::string algorithm_of(const Operation& operation) const = 0;
  [[nodiscard]] virtual DeviceProperties device() const = 0;
  [[nodiscard]] virtual TransportCounters counters() const = 0;
};

struct EngineEntry {
  std::string_view name;
  std::unique_ptr<Engine> (*create)(Bootstrap& bootstrap, const EngineOptions& options);
};
const EngineEntry* find_engine(std::string_view name);

}  // namespace collbench
