#include "agent/protocol/protocol.h"

#include "agent/protocol/protocol_json.h"
#include "workloads/registry.h"

namespace collbench::agent {
namespace {

json to_json(const TransportCapability& transport) {
  const Availability& a = transport.availability;
  return {{"name", transport.name},
          {"summary", transport.summary},
          {"available", a.available},
          {"detail", a.detail},
          {"medium", medium_name(a.medium)},
          {"reason", a.reason},
          {"remedy", a.remedy},
          {"facts", a.facts},
          {"words", transport.words},
          {"stack", transport.stack}};
}

json to_json(const metrics::Inventory& inventory) {
  json interfaces = json::array();
  for (const metrics::InterfaceInfo& one : inventory.interfaces)
    interfaces.push_back({{"name", one.name},
                          {"state", one.state},
                          {"mtu", one.mtu},
                          {"speedMbps", one.speed_mbps ? json(*one.speed_mbps) : json()}});
  return {{"hostname", inventory.hostname},
          {"os", inventory.os},
          {"kernel", inventory.kernel},
          {"architecture", inventory.architecture},
          {"cpuModel", inventory.cpu_model},
          {"cpuCount", inventory.cpu_count},
          {"coreCount", inventory.core_count},
          {"numaNodes", inventory.numa_nodes},
          {"memoryBytes", inventory.memory_bytes},
          {"virtualization", inventory.virtualization ? json(*inventory.virtualization) : json()},
          {"interfaces", interfaces}};
}

json to_json(const RankReport& rank) {
  return {{"rank", rank.rank},
          {"pid", rank.pid},
          {"alive", rank.alive},
          {"phase", rank.phase},
          {"block", rank.block},
          {"iterationsDone", rank.iterations_done},
          {"idleMs", static_cast<double>(rank.idle_ns) / 1e6},
          {"stack", rank.stack},
          {"logTail", rank.log_tail},
          {"engineTail", rank.engine_tail}};
}

json to_json(const InterfaceTraffic& one, bool watched_last_second) {
  json text = {{"name", one.name},
               {"state", one.state},
               {"receivedBytes", one.since_begin.received_bytes},
               {"sentBytes", one.since_begin.sent_bytes},
               {"troubledPackets", one.troubled_packets}};
  if (watched_last_second) {
    text["lastReceivedBytes"] = one.last.received_bytes;
    text["lastSentBytes"] = one.last.sent_bytes;
  }
  return text;
}

json optional_rank(std::optional<int> rank) { return rank ? json(*rank) : json(); }

}  // namespace

HostIdentity read_host_identity() {
  return {metrics::read_boot_id(), metrics::read_clock_id(), metrics::read_network_id()};
}

std::string hello_line(std::span<const EngineEntry> engines,
                       const std::vector<TransportCapability>& transports,
                       const metrics::Inventory& inventory, const HostIdentity& place,
                       std::int64_t clock_ns) {
  json list = json::array(), engine_list = json::array();
  for (const EngineEntry& one : engines)
    engine_list.push_back({{"name", one.name}, {"offers", offers_of(one)}});
  for (const TransportCapability& one : transports) list.push_back(to_json(one));
  json numa = json::array();
  for (const metrics::NumaNode& node : inventory.numa)
    numa.push_back({{"node", node.number}, {"cpus", node.cpus}});
  return dump_line({{"type", "hello"},
                    {"protocol", kProtocolVersion},
                    {"version", kVersion},
                    {"engines", engine_list},
                    {"transports", list},
                    {"inventory", to_json(inventory)},
                    {"machine", place.machine},
                    {"clock", place.clock},
                    {"network", place.network},
                    {"cpus", inventory.cpus},
                    {"oneCpuPerCore", inventory.one_cpu_per_core},
                    {"memoryLimitBytes", inventory.memory_limit ? json(*inventory.memory_limit) : json()},
                    {"numa", numa},
                    {"clockNs", clock_ns}});
}

std::string clock_line(std::int64_t id, std::int64_t clock_ns) {
  return dump_line({{"type", "clock"}, {"id", id}, {"clockNs", clock_ns}});
}

std::string probed_line(std::int64_t id, const TransportCapability& transport) {
  return dump_line({{"type", "probed"}, {"id", id}, {"transport", to_json(transport)}});
}

std::string exchange_line(int launch, int rank, const RankExchange& exchange) {
  return dump_line({{"type", "exchange"},
                    {"launch", launch},
                    {"rank", rank},
                    {"key", exchange.key},
                    {"data", exchange.data}});
}

std::string ready_line(int launch, std::int64_t setup_ns, const std::vector<ReadyRank>& ranks) {
  json list = json::array();
  for (const ReadyRank& one : ranks)
    list.push_back({{"rank", one.rank},
                    {"pid", one.pid},
                    {"cpu", one.cpu ? json(*one.cpu) : json()},
                    {"cpus", one.cpus},
                    {"cores", one.cores},
                    {"memory", one.memory},
                    {"device", one.ready.device},
                    {"detail", one.ready.detail},
                    {"medium", medium_name(one.ready.medium)},
                    {"facts", one.ready.facts}});
  return dump_line({{"type", "ready"}, {"launch", launch}, {"setupNs", setup_ns}, {"ranks", list}});
}

std::string measured_line(int launch, std::uint64_t block, const std::vector<std::string>& outcomes,
                          const std::map<std::string, std::uint64_t>& interface_bytes) {
  std::string ranks;
  for (const std::string& outcome : outcomes) ranks += (ranks.empty() ? "" : ",") + outcome;
  return R"({"type":"measured","launch":)" + std::to_string(launch) + R"(,"block":)" + std::to_string(block) +
         R"(,"ranks":[)" + ranks + R"(],"interfaceBytes":)" + json(interface_bytes).dump() + "}\n";
}

std::string stopped_line(int launch) { return dump_line({{"type", "stopped"}, {"launch", launch}}); }

std::string beat_line() { return dump_line({{"type", "beat"}}); }

std::string progress_line(int launch, std::uint64_t block) {
  return dump_line({{"type", "progress"}, {"launch", launch}, {"block", block}});
}

std::string output_line(int launch, int rank, const char* from, const std::string& text) {
  return dump_line({{"type", "output"}, {"launch", launch}, {"rank", rank}, {"from", from}, {"text", text}});
}

std::string failed_line(int launch, const LaunchFailure& failure) {
  json ranks = json::array();
  for (const RankReport& rank : failure.ranks) ranks.push_back(to_json(rank));
  json traffic = json::array();
  for (const InterfaceTraffic& one : failure.traffic)
    traffic.push_back(to_json(one, failure.watched_last_second));
  return dump_line({{"type", "failed"},
                    {"launch", launch},
                    {"kind", kFailureKinds[static_cast<std::size_t>(failure.kind)]},
                    {"code", failure.code},
                    {"rank", optional_rank(failure.rank)},
                    {"phase", failure.phase},
                    {"activity", kLaunchActivities[static_cast<std::size_t>(failure.activity)]},
                    {"reason", failure.reason},
                    {"exitStatus", failure.exit_status ? json(*failure.exit_status) : json()},
                    {"outOfMemory", failure.out_of_memory},
                    {"processState", failure.process_state == 0 ? "" : std::string(1, failure.process_state)},
                    {"workerPid", failure.worker_pid ? json(*failure.worker_pid) : json()},
                    {"ranks", ranks},
                    {"traffic", traffic},
                    {"ras", failure.ras}});
}

std::string log_line(const char* level, int launch, int rank, const std::string& text) {
  return dump_line({{"type", "log"}, {"level", level}, {"launch", launch}, {"rank", rank}, {"text", text}});
}

}  // namespace collbench::agent
