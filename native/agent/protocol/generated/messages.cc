// Generated from orchestration/protocol.ts by orchestration/contract/generate.ts. Do not edit.
#include "agent/protocol/generated/json.h"

namespace collbench::agent {
void to_json(nlohmann::json& to, const EngineOffer& value) {
  to["name"] = value.name;
  to["offers"] = value.offers;
}
void to_json(nlohmann::json& to, const TransportCapability& value) {
  to["name"] = value.name;
  to["summary"] = value.summary;
  to["available"] = value.availability.available;
  to["medium"] = value.availability.medium;
  to["detail"] = value.availability.detail;
  to["reason"] = value.availability.reason;
  to["remedy"] = value.availability.remedy;
  to["facts"] = value.availability.facts;
  to["words"] = value.words;
  to["stack"] = value.stack;
}
void to_json(nlohmann::json& to, const AgentHello& value) {
  to["protocol"] = value.protocol;
  to["version"] = value.version;
  to["engines"] = value.engines;
  to["transports"] = value.transports;
  to["inventory"] = value.inventory;
  to["machine"] = value.place.machine;
  to["clock"] = value.place.clock;
  to["network"] = value.place.network;
  to["cpus"] = value.inventory.cpus;
  to["oneCpuPerCore"] = value.inventory.one_cpu_per_core;
  to["numa"] = value.inventory.numa;
  to["memoryLimitBytes"] = nullable(value.inventory.memory_limit);
  to["clockNs"] = value.clock_ns;
}
void to_json(nlohmann::json& to, const ClockEvent& value) {
  to["id"] = value.id;
  to["clockNs"] = value.clock_ns;
}
void to_json(nlohmann::json& to, const ProbedEvent& value) {
  to["id"] = value.id;
  to["transport"] = value.transport;
}
void to_json(nlohmann::json& to, const ExchangeEvent& value) {
  to["launch"] = value.launch;
  to["rank"] = value.rank;
  to["key"] = value.key;
  to["data"] = value.data;
}
void to_json(nlohmann::json& to, const ReadyRank& value) {
  to["rank"] = value.rank;
  to["pid"] = value.pid;
  to["cpu"] = nullable(value.cpu);
  to["cpus"] = value.cpus;
  to["cores"] = value.cores;
  to["memory"] = value.memory;
  to["device"] = value.ready.device;
  to["detail"] = value.ready.detail;
  to["medium"] = value.ready.medium;
  to["facts"] = value.ready.facts;
}
void to_json(nlohmann::json& to, const ReadyEvent& value) {
  to["launch"] = value.launch;
  to["setupNs"] = value.setup_ns;
  to["ranks"] = value.ranks;
}
void to_json(nlohmann::json& to, const SamplingEvent& value) {
  to["intervalUs"] = value.interval_ns / 1'000;
  to["channels"] = value.channels;
  to["failed"] = value.failed;
}
void to_json(nlohmann::json& to, const SourceFailedEvent& value) {
  to["source"] = value.source;
  to["reason"] = value.reason;
}
void to_json(nlohmann::json& to, const SamplingJitter& value) {
  to["median"] = value.median;
  to["p99"] = value.p99;
  to["max"] = value.max;
}
void to_json(nlohmann::json& to, const SampledEvent& value) {
  to["ticks"] = value.ticks;
  to["missedTicks"] = value.missed_ticks;
  to["cpuNs"] = value.cpu_ns;
  to["residentBytes"] = value.resident_bytes;
  to["jitterNs"] = value.jitter_ns;
}
void to_json(nlohmann::json& to, const StoppedEvent& value) { to["launch"] = value.launch; }
void to_json(nlohmann::json& to, const FailureKind& value) {
  to = kFailureKinds[static_cast<std::size_t>(value)];
}
void to_json(nlohmann::json& to, const LaunchActivity& value) {
  to = kLaunchActivities[static_cast<std::size_t>(value)];
}
void to_json(nlohmann::json& to, const RankReport& value) {
  to["rank"] = value.rank;
  to["pid"] = value.pid;
  to["alive"] = value.alive;
  to["phase"] = value.phase;
  to["block"] = value.block;
  to["iterationsDone"] = value.iterations_done;
  to["idleMs"] = static_cast<double>(value.idle_ns) / 1'000'000;
  to["stack"] = value.stack;
  to["logTail"] = value.log_tail;
  to["engineTail"] = value.engine_tail;
}
void to_json(nlohmann::json& to, const InterfaceTraffic& value) {
  to["name"] = value.name;
  to["state"] = value.state;
  to["receivedBytes"] = value.received_bytes;
  to["sentBytes"] = value.sent_bytes;
  to["troubledPackets"] = value.troubled_packets;
  if (value.last_received_bytes) to["lastReceivedBytes"] = *value.last_received_bytes;
  if (value.last_sent_bytes) to["lastSentBytes"] = *value.last_sent_bytes;
}
void to_json(nlohmann::json& to, const LaunchFailure& value) {
  to["launch"] = value.launch;
  to["kind"] = value.kind;
  to["code"] = value.code;
  to["rank"] = nullable(value.rank);
  to["phase"] = value.phase;
  to["activity"] = value.activity;
  to["reason"] = value.reason;
  to["exitStatus"] = nullable(value.exit_status);
  to["outOfMemory"] = value.out_of_memory;
  to["processState"] = value.process_state;
  to["workerPid"] = nullable(value.worker_pid);
  to["ranks"] = value.ranks;
  to["traffic"] = value.traffic;
  to["ras"] = value.ras;
}
void to_json(nlohmann::json& to, const OutputEvent& value) {
  to["launch"] = value.launch;
  to["rank"] = value.rank;
  to["from"] = value.from;
  to["text"] = value.text;
}
void to_json(nlohmann::json& to, const FactsEvent& value) {
  to["id"] = value.id;
  to["facts"] = value.facts;
}
void to_json(nlohmann::json& to, const ProbeListener& value) {
  to["id"] = value.id;
  to["interface"] = value.interface;
  to["address"] = value.address;
  to["port"] = value.port;
  to["problem"] = value.problem;
  to["realtimeNs"] = value.realtime_ns;
}
void to_json(nlohmann::json& to, const ReachabilityProbeResult& value) {
  to["outcome"] = value.outcome;
  to["detail"] = value.detail;
  to["connectNs"] = value.connect_ns;
  to["elapsedNs"] = value.elapsed_ns;
  to["pathMtu"] = nullable(value.path_mtu);
  to["segmentBytes"] = nullable(value.segment_bytes);
}
void to_json(nlohmann::json& to, const ConnectionsEvent& value) {
  to["id"] = value.id;
  to["results"] = value.results;
}
void to_json(nlohmann::json& to, const BeatEvent& /*value*/) { to = nlohmann::json::object(); }
void to_json(nlohmann::json& to, const ProgressEvent& value) {
  to["launch"] = value.launch;
  to["block"] = value.block;
}
void to_json(nlohmann::json& to, const LogEvent& value) {
  to["level"] = value.level;
  to["launch"] = value.launch;
  to["rank"] = value.rank;
  to["text"] = value.text;
}
void to_json(nlohmann::json& to, const FirstWrong& value) {
  to["iteration"] = value.iteration;
  to["index"] = value.index;
  to["wanted"] = value.wanted;
  to["got"] = value.got;
  to["note"] = value.note;
}
void to_json(nlohmann::json& to, const LoadOutcome& value) {
  to["workers"] = value.workers;
  to["aloneUnits"] = value.alone_units;
  to["aloneNs"] = value.alone_ns;
  to["timedUnits"] = value.timed_units;
  to["timedNs"] = value.timed_ns;
  to["moved"]["bytesSent"] = value.moved.bytes_sent;
  to["moved"]["bytesReceived"] = value.moved.bytes_received;
  to["moved"]["messagesSent"] = value.moved.messages_sent;
  to["moved"]["messagesReceived"] = value.moved.messages_received;
}
void to_json(nlohmann::json& to, const RankOutcome& value) {
  to["rank"] = value.rank;
  to["algorithm"] = value.choice.algorithm;
  to["protocol"] = value.choice.protocol;
  to["paths"] = value.paths;
  to["markNs"] = value.samples.mark_ns;
  to["columns"] = value.samples.columns;
  to["enqueueNs"] = value.samples.enqueue_ns;
  to["batch"] = value.samples.batch;
  to["operations"] = value.operations;
  to["windowNs"] = value.samples.window_ns;
  if (value.samples.clock_offset_ns) to["clockOffsetNs"] = *value.samples.clock_offset_ns;
  if (value.samples.clock_uncertainty_ns) to["clockUncertaintyNs"] = *value.samples.clock_uncertainty_ns;
  to["commonStartNs"] = value.samples.common_start_ns;
  to["startNs"] = value.samples.start_ns;
  to["endNs"] = value.samples.end_ns;
  to["late"] = value.samples.late;
  to["warmupNs"] = value.samples.warmup_ns;
  to["checks"] = value.checks;
  to["checkingNs"] = value.samples.checking_ns;
  to["wrong"]["wrongElements"] = value.wrong.wrong_elements;
  to["wrong"]["comparedElements"] = value.wrong.compared_elements;
  to["wrong"]["first"] = nullable(value.wrong.first);
  to["counters"]["bytesSent"] = value.counters.bytes_sent;
  to["counters"]["bytesReceived"] = value.counters.bytes_received;
  to["counters"]["messagesSent"] = value.counters.messages_sent;
  to["counters"]["messagesReceived"] = value.counters.messages_received;
  if (value.load) to["beside"] = *value.load;
}
}  // namespace collbench::agent

namespace collbench {
void to_json(nlohmann::json& to, const collbench::Medium& value) {
  to = kMediums[static_cast<std::size_t>(value)];
}
void to_json(nlohmann::json& to, const collbench::LocalPath& value) {
  to = kLocalPaths[static_cast<std::size_t>(value)];
}
void to_json(nlohmann::json& to, const collbench::DoorbellSide& value) {
  to = kDoorbellSides[static_cast<std::size_t>(value)];
}
void to_json(nlohmann::json& to, const collbench::DmaPath& value) {
  to = kDmaPaths[static_cast<std::size_t>(value)];
}
void to_json(nlohmann::json& to, const collbench::TransportDetail& value) {
  to = nlohmann::json::object();
  if (value.framework) to["framework"] = *value.framework;
  if (value.backend) to["backend"] = *value.backend;
  if (value.library) to["library"] = *value.library;
  if (value.library_transport) to["libraryTransport"] = *value.library_transport;
  if (value.net_plugin) to["netPlugin"] = *value.net_plugin;
  if (value.net_plugin_version) to["netPluginVersion"] = *value.net_plugin_version;
  if (value.net_plugin_path) to["netPluginPath"] = *value.net_plugin_path;
  if (value.net_plugin_device) to["netPluginDevice"] = *value.net_plugin_device;
  if (value.network_interface) to["networkInterface"] = *value.network_interface;
  if (value.streams) to["streams"] = *value.streams;
  if (value.buffer_bytes) to["bufferBytes"] = *value.buffer_bytes;
  if (value.chose_interface) to["choseInterface"] = *value.chose_interface;
  if (value.carried_by_loopback) to["carriedByLoopback"] = *value.carried_by_loopback;
  if (value.local_path) to["localPath"] = *value.local_path;
  if (value.copies) to["copies"] = *value.copies;
  if (value.single_copy_bytes) to["singleCopyBytes"] = *value.single_copy_bytes;
  if (value.adapter) to["adapter"] = *value.adapter;
  if (value.adapter_library) to["adapterLibrary"] = *value.adapter_library;
  if (value.node) to["node"] = *value.node;
  if (value.software_card) to["softwareCard"] = *value.software_card;
  if (value.link) to["link"] = *value.link;
  if (value.queue) to["queue"] = *value.queue;
  if (value.doorbells) to["doorbells"] = *value.doorbells;
  if (value.dma) to["dma"] = *value.dma;
  if (value.is_fake) to["isFake"] = *value.is_fake;
  if (value.shares_gpu) to["sharesGpu"] = *value.shares_gpu;
  if (value.uses_mps) to["usesMps"] = *value.uses_mps;
}
}  // namespace collbench

namespace collbench::metrics {
void to_json(nlohmann::json& to, const metrics::InterfaceInfo& value) {
  to["name"] = value.name;
  to["state"] = value.state;
  to["mtu"] = value.mtu;
  to["speedMbps"] = nullable(value.speed_mbps);
}
void to_json(nlohmann::json& to, const metrics::Inventory& value) {
  to["hostname"] = value.hostname;
  to["os"] = value.os;
  to["kernel"] = value.kernel;
  to["architecture"] = value.architecture;
  to["cpuModel"] = value.cpu_model;
  to["cpuCount"] = value.cpu_count;
  to["coreCount"] = value.core_count;
  to["numaNodes"] = value.numa_nodes;
  to["memoryBytes"] = value.memory_bytes;
  to["virtualization"] = nullable(value.virtualization);
  to["interfaces"] = value.interfaces;
}
void to_json(nlohmann::json& to, const metrics::NumaNode& value) {
  to["node"] = value.number;
  to["cpus"] = value.cpus;
}
void to_json(nlohmann::json& to, const metrics::MetricChannel& value) {
  to["name"] = value.name;
  to["unit"] = value.unit;
  to["cumulative"] = value.cumulative;
}
void to_json(nlohmann::json& to, const metrics::SourceFailure& value) {
  to["source"] = value.source;
  to["reason"] = value.reason;
}
}  // namespace collbench::metrics

namespace collbench::facts {
void to_json(nlohmann::json& to, const facts::Files& value) {
  to["text"] = value.text;
  to["links"] = value.links;
  to["denied"] = value.denied;
  to["cut"] = value.cut;
  to["full"] = value.full;
}
void to_json(nlohmann::json& to, const facts::Live& value) {
  to["glibc"] = value.glibc;
  to["shmBytes"] = nullable(value.shm_bytes);
  to["shmFreeBytes"] = nullable(value.shm_free_bytes);
  to["clockSynchronised"] = nullable(value.clock_synchronised);
  to["clockMaxErrorUs"] = value.clock_max_error_us;
  to["root"] = value.root;
  to["statLater"] = value.stat_later;
  to["environment"] = value.environment;
}
void to_json(nlohmann::json& to, const facts::GpuFacts& value) {
  to["pci"] = value.pci;
  to["name"] = value.name;
  to["linkWidth"] = nullable(value.link_width);
  to["linkWidthMax"] = nullable(value.link_width_max);
  to["linkGeneration"] = nullable(value.link_generation);
  to["linkGenerationMax"] = nullable(value.link_generation_max);
  to["processes"] = nullable(value.processes);
  to["memoryBytes"] = nullable(value.memory_bytes);
  to["memoryUsedBytes"] = nullable(value.memory_used_bytes);
  to["persistence"] = nullable(value.persistence);
  to["nvlinks"] = nullable(value.nvlinks);
  to["nvlinkMBps"] = nullable(value.nvlink_mbps);
  to["nvlinkEnds"] = value.nvlink_ends;
}
void to_json(nlohmann::json& to, const facts::Nvml& value) {
  to["missing"] = value.missing;
  to["driver"] = value.driver;
  to["gpus"] = value.gpus;
}
void to_json(nlohmann::json& to, const facts::LibraryFacts& value) {
  to["name"] = value.name;
  to["path"] = value.path;
  to["problem"] = value.problem;
  to["buildId"] = value.build_id;
  to["bytes"] = value.bytes;
  to["sha256"] = value.sha256;
  to["symbols"] = value.symbols;
}
void to_json(nlohmann::json& to, const facts::MachineFacts& value) {
  to["files"] = value.files;
  to["live"] = nullable(value.live);
  to["nvml"] = nullable(value.nvml);
  to["libraries"] = value.libraries;
}
}  // namespace collbench::facts

namespace collbench::agent {
std::string to_line(const AgentHello& value) {
  json line = value;
  line["type"] = "hello";
  return dump_line(line);
}

std::string to_line(const ClockEvent& value) {
  json line = value;
  line["type"] = "clock";
  return dump_line(line);
}

std::string to_line(const ProbedEvent& value) {
  json line = value;
  line["type"] = "probed";
  return dump_line(line);
}

std::string to_line(const ExchangeEvent& value) {
  json line = value;
  line["type"] = "exchange";
  return dump_line(line);
}

std::string to_line(const ReadyEvent& value) {
  json line = value;
  line["type"] = "ready";
  return dump_line(line);
}

std::string to_line(const SamplingEvent& value) {
  json line = value;
  line["type"] = "sampling";
  return dump_line(line);
}

std::string to_line(const SourceFailedEvent& value) {
  json line = value;
  line["type"] = "sourceFailed";
  return dump_line(line);
}

std::string to_line(const SampledEvent& value) {
  json line = value;
  line["type"] = "sampled";
  return dump_line(line);
}

std::string to_line(const StoppedEvent& value) {
  json line = value;
  line["type"] = "stopped";
  return dump_line(line);
}

std::string to_line(const LaunchFailure& value) {
  json line = value;
  line["type"] = "failed";
  return dump_line(line);
}

std::string to_line(const OutputEvent& value) {
  json line = value;
  line["type"] = "output";
  return dump_line(line);
}

std::string to_line(const FactsEvent& value) {
  json line = value;
  line["type"] = "facts";
  return dump_line(line);
}

std::string to_line(const ProbeListener& value) {
  json line = value;
  line["type"] = "listener";
  return dump_line(line);
}

std::string to_line(const ConnectionsEvent& value) {
  json line = value;
  line["type"] = "connections";
  return dump_line(line);
}

std::string to_line(const BeatEvent& value) {
  json line = value;
  line["type"] = "beat";
  return dump_line(line);
}

std::string to_line(const ProgressEvent& value) {
  json line = value;
  line["type"] = "progress";
  return dump_line(line);
}

std::string to_line(const LogEvent& value) {
  json line = value;
  line["type"] = "log";
  return dump_line(line);
}

HelloRequest read_hello_request(const JsonValue& from) {
  HelloRequest to;
  to.protocol = from.at("protocol").integer<int>(0, 2'147'483'647);
  if (const auto found = from.find("logLevel")) to.log_level = found->text();
  if (const auto found = from.find("beatMs"))
    to.beat_ns = found->integer<std::int64_t>(1, 1'000'000'000) * 1'000'000;
  return to;
}

BeatRequest read_beat_request(const JsonValue& /*from*/) {
  BeatRequest to;
  return to;
}

ClockRequest read_clock_request(const JsonValue& from) {
  ClockRequest to;
  to.id = from.at("id").integer<std::int64_t>();
  return to;
}

ProbeRequest read_probe_request(const JsonValue& from) {
  ProbeRequest to;
  to.id = from.at("id").integer<std::int64_t>();
  if (const auto found = from.find("engine")) to.engine = found->text();
  to.transport = from.at("transport").text();
  to.options = read_transport_options(from.at("options"));
  if (const auto found = from.find("settings"))
    to.settings = found->map([](const JsonValue& one) { return one.text(); });
  if (const auto found = from.find("environment"))
    to.environment = found->map([](const JsonValue& one) { return one.text(); });
  if (const auto found = from.find("deadlineMs"))
    to.deadline_ns = found->integer<std::int64_t>(1, 1'000'000'000) * 1'000'000;
  finish(from, to);
  return to;
}

RankPlacement read_rank_placement(const JsonValue& from) {
  RankPlacement to;
  to.rank = from.at("rank").integer<int>(0, 2'147'483'647);
  to.cpus = read_number_list(from.at("cpus"));
  to.memory_nodes = read_number_list(from.at("memoryNodes"));
  return to;
}

CoreSharing read_core_sharing(const JsonValue& from) {
  CoreSharing to;
  to.ranks = from.at("ranks").integer<int>(0, 2'147'483'647);
  to.before = from.at("before").integer<int>(0, 2'147'483'647);
  return to;
}

LaunchRequest read_launch_request(const JsonValue& from) {
  LaunchRequest to;
  to.launch = from.at("launch").integer<int>(0, 2'147'483'647);
  to.engine = from.at("engine").text();
  to.transport = from.at("transport").text();
  to.options = read_transport_options(from.at("options"));
  if (const auto found = from.find("algorithm")) to.algorithm = found->text();
  if (const auto found = from.find("settings"))
    to.settings = found->map([](const JsonValue& one) { return one.text(); });
  to.ranks = from.at("ranks").integer<int>(1, 4'096);
  to.local_ranks =
      from.at("localRanks").list([](const JsonValue& one) { return one.integer<int>(0, 2'147'483'647); }, 1);
  if (const auto found = from.find("output")) to.output = found->boolean();
  if (const auto found = from.find("placements"))
    to.placements = found->list([](const JsonValue& one) { return read_rank_placement(one); });
  if (const auto found = from.find("highPriority")) to.high_priority = found->boolean();
  if (const auto found = from.find("leaveCpuQuota")) to.leave_cpu_quota = found->boolean();
  to.seed = from.at("seed").integer<std::uint64_t>(0);
  to.environment = from.at("environment").map([](const JsonValue& one) { return one.text(); });
  if (const auto found = from.find("together")) to.together = read_core_sharing(*found);
  if (const auto found = from.find("turn")) to.turn = found->integer<int>(0, 2'147'483'647);
  to.deadline_ns = from.at("deadlineMs").integer<std::int64_t>(1, 1'000'000'000) * 1'000'000;
  finish(from, to);
  return to;
}

ExchangedMessage read_exchanged_message(const JsonValue& from) {
  ExchangedMessage to;
  to.launch = from.at("launch").integer<int>(0, 2'147'483'647);
  to.key = from.at("key").text();
  to.data = from.at("data").list([](const JsonValue& one) { return one.text(); });
  return to;
}

MeasureRequest read_measure_request(const JsonValue& from) {
  MeasureRequest to;
  to.launch = from.at("launch").integer<int>(0, 2'147'483'647);
  to.spec.trial.block = from.at("block").integer<std::uint64_t>(0);
  to.spec.workload.name = from.at("workload").text();
  to.spec.workload.axes = read_axes(from.at("axes"));
  if (const auto found = from.find("script")) to.spec.workload.script = found->text();
  const JsonValue trial = from.at("trial");
  to.spec.trial.kind = trial.at("kind").choice<collbench::TrialKind>(kTrialKinds);
  to.spec.trial.first_iteration = trial.at("firstIteration").integer<std::uint64_t>(0);
  to.spec.trial.warmup = trial.at("warmup").integer<std::uint32_t>(0, 4'294'967'295);
  to.spec.trial.min_samples = trial.at("minSamples").integer<std::uint32_t>(1, 10'000'000);
  to.spec.trial.max_samples = trial.at("maxSamples").integer<std::uint32_t>(1, 10'000'000);
  to.spec.trial.target_ns = trial.at("targetNs").integer<std::uint64_t>(0);
  to.spec.trial.batch = trial.at("batch").integer<std::uint32_t>(0, 4'294'967'295);
  to.spec.trial.check_every = trial.at("checkEvery").integer<std::uint32_t>(0, 4'294'967'295);
  to.spec.check = trial.at("check").boolean();
  to.spec.release = from.at("release").boolean();
  if (const auto found = from.find("startAtNs")) to.spec.start_at_ns = found->integer<std::uint64_t>(0);
  to.deadline_ns = from.at("deadlineMs").integer<std::int64_t>(1, 1'000'000'000) * 1'000'000;
  finish(from, to);
  return to;
}

SampleRequest read_sample_request(const JsonValue& from) {
  SampleRequest to;
  to.interval_ns = from.at("intervalUs").integer<std::int64_t>(1'000, 10'000'000) * 1'000;
  if (const auto found = from.find("sources"))
    to.sources = found->list([](const JsonValue& one) { return one.text(); }, 1);
  to.ranks = from.at("ranks").list([](const JsonValue& one) { return one.integer<int>(0, 4'095); }, 0, 4096);
  finish(from, to);
  return to;
}

UnsampleRequest read_unsample_request(const JsonValue& /*from*/) {
  UnsampleRequest to;
  return to;
}

StopRequest read_stop_request(const JsonValue& from) {
  StopRequest to;
  to.launch = from.at("launch").integer<int>(0, 2'147'483'647);
  return to;
}

FactsRequest read_facts_request(const JsonValue& from) {
  FactsRequest to;
  to.id = from.at("id").integer<std::int64_t>();
  if (const auto found = from.find("plugins"))
    to.request.plugins = found->list([](const JsonValue& one) { return one.text(); }, 0, 16);
  if (const auto found = from.find("hashes")) to.request.hashes = found->boolean();
  if (const auto found = from.find("brief")) to.request.brief = found->boolean();
  return to;
}

ListenerRequest read_listener_request(const JsonValue& from) {
  ListenerRequest to;
  to.id = from.at("id").integer<std::int64_t>();
  to.interface = from.at("interface").text();
  to.word = from.at("word").text();
  return to;
}

ProbeTarget read_probe_target(const JsonValue& from) {
  ProbeTarget to;
  to.address = from.at("address").text();
  to.port = from.at("port").integer<int>(1, 65'535);
  return to;
}

ReachabilityProbeRequest read_reachability_probe_request(const JsonValue& from) {
  ReachabilityProbeRequest to;
  to.id = from.at("id").integer<std::int64_t>();
  to.interface = from.at("interface").text();
  to.word = from.at("word").text();
  to.targets = from.at("targets").list([](const JsonValue& one) { return read_probe_target(one); }, 0, 256);
  to.timeout_ns = from.at("timeoutMs").integer<std::int64_t>(1, 600'000) * 1'000'000;
  return to;
}

collbench::TransportDetail read_transport_detail(const JsonValue& from) {
  collbench::TransportDetail to;
  if (const auto found = from.find("framework")) to.framework = found->text();
  if (const auto found = from.find("backend")) to.backend = found->text();
  if (const auto found = from.find("library")) to.library = found->text();
  if (const auto found = from.find("libraryTransport")) to.library_transport = found->text();
  if (const auto found = from.find("netPlugin")) to.net_plugin = found->text();
  if (const auto found = from.find("netPluginVersion"))
    to.net_plugin_version = found->integer<int>(-2'147'483'648, 2'147'483'647);
  if (const auto found = from.find("netPluginPath")) to.net_plugin_path = found->text();
  if (const auto found = from.find("netPluginDevice")) to.net_plugin_device = found->text();
  if (const auto found = from.find("networkInterface")) to.network_interface = found->text();
  if (const auto found = from.find("streams"))
    to.streams = found->integer<int>(-2'147'483'648, 2'147'483'647);
  if (const auto found = from.find("bufferBytes"))
    to.buffer_bytes = found->integer<int>(-2'147'483'648, 2'147'483'647);
  if (const auto found = from.find("choseInterface")) to.chose_interface = found->boolean();
  if (const auto found = from.find("carriedByLoopback")) to.carried_by_loopback = found->boolean();
  if (const auto found = from.find("localPath"))
    to.local_path = found->choice<collbench::LocalPath>(kLocalPaths);
  if (const auto found = from.find("copies")) to.copies = found->integer<int>(-2'147'483'648, 2'147'483'647);
  if (const auto found = from.find("singleCopyBytes"))
    to.single_copy_bytes = found->integer<int>(-2'147'483'648, 2'147'483'647);
  if (const auto found = from.find("adapter")) to.adapter = found->text();
  if (const auto found = from.find("adapterLibrary")) to.adapter_library = found->text();
  if (const auto found = from.find("node")) to.node = found->integer<int>(-2'147'483'648, 2'147'483'647);
  if (const auto found = from.find("softwareCard")) to.software_card = found->text();
  if (const auto found = from.find("link")) to.link = found->text();
  if (const auto found = from.find("queue")) to.queue = found->text();
  if (const auto found = from.find("doorbells"))
    to.doorbells = found->choice<collbench::DoorbellSide>(kDoorbellSides);
  if (const auto found = from.find("dma")) to.dma = found->choice<collbench::DmaPath>(kDmaPaths);
  if (const auto found = from.find("isFake")) to.is_fake = found->boolean();
  if (const auto found = from.find("sharesGpu")) to.shares_gpu = found->boolean();
  if (const auto found = from.find("usesMps")) to.uses_mps = found->boolean();
  return to;
}

TransportCapability read_transport_capability(const JsonValue& from) {
  TransportCapability to;
  to.name = from.at("name").text();
  to.summary = from.at("summary").text();
  to.availability.available = from.at("available").boolean();
  to.availability.medium = from.at("medium").choice<collbench::Medium>(kMediums);
  to.availability.detail = read_transport_detail(from.at("detail"));
  to.availability.reason = from.at("reason").text();
  to.availability.remedy = from.at("remedy").text();
  to.availability.facts = from.at("facts").map([](const JsonValue& one) { return one.text(); });
  to.words = from.at("words").list([](const JsonValue& one) { return one.text(); });
  to.stack = from.at("stack").list([](const JsonValue& one) { return one.text(); });
  return to;
}

ControllerMessage parse_controller_message(const std::string& line) {
  const json message = parse_line(line);
  const std::string type = JsonValue(message, "message").at("type").text();
  const JsonValue from(message, type);
  if (type == "hello") return read_hello_request(from);
  if (type == "beat") return read_beat_request(from);
  if (type == "clock") return read_clock_request(from);
  if (type == "probe") return read_probe_request(from);
  if (type == "launch") return read_launch_request(from);
  if (type == "exchanged") return read_exchanged_message(from);
  if (type == "measure") return read_measure_request(from);
  if (type == "sample") return read_sample_request(from);
  if (type == "unsample") return read_unsample_request(from);
  if (type == "stop") return read_stop_request(from);
  if (type == "facts") return read_facts_request(from);
  if (type == "listener") return read_listener_request(from);
  if (type == "connect") return read_reachability_probe_request(from);

  throw Error(ErrorCode::kProtocol,
              "message.type '" + type.substr(0, 100) +
                  "' is unknown; there are: hello, beat, clock, probe, launch, exchanged, measure, sample, "
                  "unsample, stop, facts, listener, connect");
}

}  // namespace collbench::agent
