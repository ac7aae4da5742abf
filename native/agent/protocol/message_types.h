#pragma once
// Parts of messages that are made of values of other rooms. generated/messages.h has all other parts, and
// functions that write and parse messages.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/rank_session.h"
#include "metrics/facts/facts.h"
#include "metrics/inventory.h"
#include "metrics/sampler.h"
#include "transports/registry.h"
#include "workloads/registry.h"

namespace collbench::agent {

// ---- controller to agent, and from the agent to the ranks ----

struct MeasureRequest {
  int launch = 0;
  MeasureSpec spec;
  std::int64_t deadline_ns = 0;
};
/// Request for facts about hardware and system settings that the message `hello` does not contain, such as
/// PCI devices. The agent answers with the message `facts`.
struct FactsRequest {
  std::int64_t id = 0;
  facts::FactsRequest request;
};

// ---- agent to controller ----

struct EngineOffer {
  std::string name;
  WorkloadOffers offers;
};
struct TransportCapability {
  std::string name, summary;
  Availability availability;
  /// `words`: last output lines of the process that made the test, if the transport is unavailable or
  /// COLLBENCH_LOG is debug. `stack`: its stack if it crashed or hung. Both are empty if the test ran inside
  /// the agent.
  std::vector<std::string> words = {}, stack = {};
};
/// Ids by which the controller recognises agents that share a machine, its clock (CLOCK_MONOTONIC, one per
/// time namespace) or its network interfaces (one set per network namespace). See metrics::read_boot_id(),
/// read_clock_id() and read_network_id().
struct HostIdentity {
  std::string machine, clock, network;
};
HostIdentity read_host_identity();
/// First message of an agent: its build, and what it and the machine can do.
struct AgentHello {
  int protocol = 0;
  std::string version;
  std::vector<EngineOffer> engines;
  std::vector<TransportCapability> transports;
  metrics::Inventory inventory;
  HostIdentity place;
  std::int64_t clock_ns = 0;  // CLOCK_MONOTONIC when the message was written.
};
struct ReadyRank {
  int rank = 0;
  std::int64_t pid = 0;
  std::optional<int> cpu;  // Core that the rank is bound to; absent = not bound.
  RankReady ready;
  // Binding as the kernel reports it (metrics/inventory.h): "0-3", "bind:0"; "" = not read.
  std::string cpus = {}, memory = {};
  // Cores that these CPUs belong to, each named by its lowest hardware thread: "0-3".
  std::string cores = {};
};

}  // namespace collbench::agent
