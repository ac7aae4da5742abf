#include "agent/protocol.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "metrics/parse.h"

namespace collbench::agent {
namespace {

using nlohmann::json;

/// Typed access to the fields of one object; every complaint names the field, what it held and what is
/// allowed.
class Fields {
 public:
  Fields(const json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) fail("", "an object", object);
  }

  const json& at(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) throw Error(ErrorCode::kProtocol, where(name) + " is missing");
    return *found;
  }
  [[nodiscard]] bool has(const char* name) const {
    return object_.contains(name) && !object_[name].is_null();
  }
  Fields object(const char* name) const { return Fields(at(name), where(name)); }

  std::string text(const char* name) const {
    const json& value = at(name);
    if (!value.is_string()) fail(name, "a string", value);
    return value.get<std::string>();
  }
  std::string text_or(const char* name, const std::string& fallback) const {
    return has(name) ? text(name) : fallback;
  }
  bool boolean(const char* name) const {
    const json& value = at(name);
    if (!value.is_boolean()) fail(name, "true or false", value);
    return value.get<bool>();
  }
  template <typename T>
  T integer(const char* name, std::int64_t low, std::int64_t high) const {
    const json& value = at(name);
    // JavaScript has one number type: 1e9 may arrive as a double.
    double number = 0;
    if (value.is_number()) number = value.get<double>();
    if (!value.is_number() || number != static_cast<double>(static_cast<std::int64_t>(number)) ||
        number < static_cast<double>(low) || number > static_cast<double>(high))
      fail(name, "an integer from " + std::to_string(low) + " to " + std::to_string(high), value);
    return value.is_number_integer() ? static_cast<T>(value.get<std::int64_t>()) : static_cast<T>(number);
  }
  template <typename T>
  T natural(const char* name) const {
    constexpr auto kMost = std::int64_t{1} << 53;
    const auto high =
        std::min<std::uint64_t>(static_cast<std::uint64_t>(std::numeric_limits<T>::max()), kMost);
    return integer<T>(name, 0, static_cast<std::int64_t>(high));
  }
  /// @param parse gives an optional
  template <typename Parse, typename Names>
  auto choice(const char* name, Parse parse, const Names& names) const {
    const auto parsed = parse(text(name));
    if (!parsed) {
      std::string allowed;
      for (const auto& one : names) allowed += (allowed.empty() ? "one of " : ", ") + std::string(one);
      fail(name, allowed, at(name));
    }
    return *parsed;
  }

  [[nodiscard]] std::string where(const std::string& name) const {
    return path_ + (name.empty() ? "" : "." + name);
  }
  [[noreturn]] void fail(const std::string& name, const std::string& wanted, const json& got) const {
    throw Error(ErrorCode::kProtocol,
                where(name) + " must be " + wanted + ", got " +
                    got.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 100));
  }
  const json& raw() const { return object_; }

 private:
  const json& object_;
  std::string path_;
};

std::string dump_line(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

TransportOptions parse_options(const Fields& fields) {
  TransportOptions options;
  for (const auto& [name, value] : fields.raw().items()) {
    const char* key = name.c_str();
    if (name == "interface")
      options.interface_name = fields.text(key);
    else if (name == "token")
      options.token = fields.text(key);
    else if (name == "streams")
      options.streams = fields.integer<int>(key, 0, 64);
    else if (name == "link")
      options.link = fields.text(key);
    else if (name == "fault")
      options.fault = fields.text(key);
    else if (name == "library")
      options.library = fields.text(key);
    else if (name == "pathProof")
      options.path_proof = fields.boolean(key);
    else
      throw Error(ErrorCode::kProtocol, fields.where(name) +
                                            " is no transport option; there are: interface, token, " +
                                            "streams, link, fault, library, pathProof");
  }
  return options;
}

/// "plugin:PATH" is the transport "plugin" with that library.
void split_plugin(std::string& transport, TransportOptions& options) {
  constexpr std::string_view kPrefix = "plugin:";
  if (!transport.starts_with(kPrefix)) return;
  options.library = transport.substr(kPrefix.size());
  transport = "plugin";
}

Settings parse_settings(const Fields& fields) {
  Settings settings;
  if (!fields.has("settings")) return settings;
  const Fields object = fields.object("settings");
  for (const auto& item : object.raw().items()) settings[item.key()] = object.text(item.key().c_str());
  return settings;
}

ProbeRequest parse_probe(const Fields& fields) {
  ProbeRequest probe{fields.natural<std::int64_t>("id"), fields.text_or("engine", ""),
                     fields.text("transport"), parse_options(fields.object("options")),
                     parse_settings(fields)};
  split_plugin(probe.transport, probe.options);
  return probe;
}

std::vector<int> parse_list(const Fields& fields, const char* name) {
  const auto numbers = metrics::numbers_of_list(fields.text(name));
  if (!numbers) fields.fail(name, "a list such as 0-3,8", fields.at(name));
  return *numbers;
}

/// One for each of the local ranks, in their order.
std::vector<RankPlace> parse_places(const Fields& launch, const std::vector<int>& local_ranks) {
  const json& list = launch.at("places");
  if (!list.is_array()) launch.fail("places", "a list", list);
  std::vector<RankPlace> places;
  for (const json& one : list) {
    const Fields fields(one, launch.where("places"));
    places.push_back(
        {fields.natural<int>("rank"), parse_list(fields, "cpus"), parse_list(fields, "memoryNodes")});
  }
  std::sort(places.begin(), places.end(),
            [](const RankPlace& a, const RankPlace& b) { return a.rank < b.rank; });
  const auto is_rank = [](const RankPlace& place, int rank) { return place.rank == rank; };
  if (!std::equal(places.begin(), places.end(), local_ranks.begin(), local_ranks.end(), is_rank))
    launch.fail("places", "one for each of localRanks", list);
  return places;
}

LaunchRequest parse_launch(const Fields& fields) {
  LaunchRequest launch;
  launch.launch = fields.natural<int>("launch");
  launch.engine = fields.text("engine");
  launch.transport = fields.text("transport");
  launch.options = parse_options(fields.object("options"));
  split_plugin(launch.transport, launch.options);
  launch.algorithm = fields.text_or("algorithm", "");
  launch.settings = parse_settings(fields);
  launch.ranks = fields.integer<int>("ranks", 1, 4096);
  const json& local = fields.at("localRanks");
  if (!local.is_array() || local.empty()) fields.fail("localRanks", "a list of at least one rank", local);
  for (const json& one : local) {
    if (!one.is_number_integer() || one.get<std::int64_t>() < 0 || one.get<std::int64_t>() >= launch.ranks)
      fields.fail("localRanks", "ranks from 0 to " + std::to_string(launch.ranks - 1), one);
    launch.local_ranks.push_back(one.get<int>());
  }
  std::sort(launch.local_ranks.begin(), launch.local_ranks.end());
  if (std::adjacent_find(launch.local_ranks.begin(), launch.local_ranks.end()) != launch.local_ranks.end())
    fields.fail("localRanks", "different ranks", local);
  launch.output = fields.has("output") && fields.boolean("output");
  if (fields.has("places")) launch.places = parse_places(fields, launch.local_ranks);
  launch.seed = fields.natural<std::uint64_t>("seed");
  const Fields environment = fields.object("environment");
  for (const auto& item : environment.raw().items()) {
    if (item.key().empty() || item.key().find('=') != std::string::npos)
      fields.fail("environment", "names without '='", json(item.key()));
    launch.environment[item.key()] = environment.text(item.key().c_str());
  }
  if (fields.has("together")) {
    const Fields together = fields.object("together");
    const auto local_ranks = static_cast<std::int64_t>(launch.local_ranks.size());
    launch.together.ranks = together.integer<int>("ranks", local_ranks, 1 << 20);
    launch.together.before = together.integer<int>("before", 0, launch.together.ranks - local_ranks);
  }
  launch.deadline_ns = fields.integer<std::int64_t>("deadlineMs", 1, 1'000'000'000) * 1'000'000;
  return launch;
}

Operation parse_operation(const Fields& fields) {
  Operation operation;
  operation.kind = fields.choice("collective", parse_collective, kCollectiveKinds);
  std::vector<std::string_view> dtypes;
  for (const DataTypeInfo& dtype : kDataTypes) dtypes.push_back(dtype.name);
  operation.dtype = fields.choice("dtype", parse_data_type, dtypes);
  if (fields.has("op"))
    operation.op = fields.choice("op", parse_reduce_op, kReduceOps);
  else if (reduces(operation.kind))
    fields.fail("op", "given for a collective that reduces", fields.at("op"));
  if (fields.has("root")) operation.root = fields.natural<int>("root");
  operation.in_place = fields.boolean("inPlace");
  operation.count = fields.natural<std::size_t>("count");
  return operation;
}

MeasureRequest parse_measure(const Fields& fields) {
  MeasureRequest measure;
  measure.launch = fields.natural<int>("launch");
  measure.spec.operation = parse_operation(fields.object("operation"));
  const Fields trial = fields.object("trial");
  TrialSpec& spec = measure.spec.trial;
  const std::string kind = trial.text("kind");
  if (kind == "isolated")
    spec.kind = TrialKind::kIsolated;
  else if (kind == "pipelined")
    spec.kind = TrialKind::kPipelined;
  else
    trial.fail("kind", "one of isolated, pipelined", trial.at("kind"));
  spec.block = fields.natural<std::uint64_t>("block");
  spec.first_iteration = trial.natural<std::uint64_t>("firstIteration");
  spec.warmup = trial.natural<std::uint32_t>("warmup");
  spec.min_samples = trial.integer<std::uint32_t>("minSamples", 1, 10'000'000);
  spec.max_samples = trial.integer<std::uint32_t>("maxSamples", spec.min_samples, 10'000'000);
  spec.target_ns = trial.natural<std::int64_t>("targetNs");
  spec.batch = trial.natural<std::uint32_t>("batch");
  spec.check_every = trial.natural<std::uint32_t>("checkEvery");
  measure.spec.check = trial.boolean("check");
  measure.spec.release = fields.boolean("release");
  if (fields.has("startAtNs")) measure.spec.start_at_ns = fields.natural<std::int64_t>("startAtNs");
  measure.deadline_ns = fields.integer<std::int64_t>("deadlineMs", 1, 1'000'000'000) * 1'000'000;
  return measure;
}

ExchangedMessage parse_exchanged(const Fields& fields) {
  ExchangedMessage exchanged{fields.natural<int>("launch"), fields.text("key"), {}};
  const json& data = fields.at("data");
  if (!data.is_array()) fields.fail("data", "a list of strings", data);
  for (const json& one : data) {
    if (!one.is_string()) fields.fail("data", "a list of strings", one);
    exchanged.data.push_back(one.get<std::string>());
  }
  return exchanged;
}

SampleRequest parse_sample(const Fields& fields) {
  SampleRequest sample;
  sample.interval_ns = fields.integer<std::int64_t>("intervalUs", 1'000, 10'000'000) * 1'000;
  if (fields.has("sources")) {
    const json& sources = fields.at("sources");
    if (!sources.is_array() || sources.empty())
      fields.fail("sources", "null or a list of at least one source", sources);
    for (const json& one : sources) {
      if (!one.is_string()) fields.fail("sources", "a list of strings", one);
      sample.sources.push_back(one.get<std::string>());
    }
  }
  if (fields.has("ranks")) {
    constexpr std::size_t kMostRanks = 4096;
    const json& ranks = fields.at("ranks");
    if (!ranks.is_array() || ranks.size() > kMostRanks)
      fields.fail("ranks", "a list of at most " + std::to_string(kMostRanks) + " ranks", ranks);
    std::set<int> different;
    for (const json& one : ranks) {
      if (!one.is_number_integer() || one < 0 || one >= kMostRanks ||
          !different.insert(one.get<int>()).second)
        fields.fail("ranks", "different ranks from 0 to " + std::to_string(kMostRanks - 1), one);
    }
    sample.ranks.emplace(different.begin(), different.end());
  }
  return sample;
}

json parse_line(const std::string& line) {
  json message = json::parse(line, nullptr, false);
  if (message.is_discarded() || !message.is_object())
    throw Error(ErrorCode::kProtocol, "not a JSON object: " + line.substr(0, 100));
  return message;
}

const char* medium_name(Medium medium) { return medium == Medium::kEmulated ? "emulated" : "hardware"; }

json to_json(const TransportCapability& transport) {
  const Availability& a = transport.availability;
  return {{"name", transport.name},
          {"summary", transport.summary},
          {"available", a.available},
          {"detail", a.detail},
          {"medium", medium_name(a.medium)},
          {"reason", a.reason},
          {"remedy", a.remedy},
          {"facts", a.facts}};
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

FactsRequest parse_facts(const Fields& fields) {
  FactsRequest facts{fields.natural<std::int64_t>("id"), {}};
  if (fields.has("hashes")) facts.request.hashes = fields.boolean("hashes");
  if (fields.has("brief")) facts.request.brief = fields.boolean("brief");
  if (!fields.has("plugins")) return facts;
  const json& plugins = fields.at("plugins");
  if (!plugins.is_array() || plugins.size() > 16)
    fields.fail("plugins", "an array of at most 16 paths", plugins);
  for (const json& plugin : plugins) {
    if (!plugin.is_string()) fields.fail("plugins", "an array of strings", plugins);
    facts.request.plugins.push_back(plugin.get<std::string>());
  }
  return facts;
}

DoorRequest parse_door(const Fields& fields) {
  return {fields.natural<std::int64_t>("id"), fields.text_or("interface", ""), fields.text("word")};
}

KnockRequest parse_knock(const Fields& fields) {
  KnockRequest knock{fields.natural<std::int64_t>("id"),
                     fields.text_or("interface", ""),
                     fields.text("word"),
                     {},
                     fields.integer<std::int64_t>("timeoutMs", 1, 600'000) * 1'000'000};
  const json& targets = fields.at("targets");
  if (!targets.is_array() || targets.size() > kMostTargets)
    fields.fail("targets", "an array of at most " + std::to_string(kMostTargets), targets);
  for (const json& one : targets) {
    const Fields target(one, "knock.targets");
    knock.targets.push_back({target.text("address"), target.integer<int>("port", 1, 65535)});
  }
  return knock;
}

/// Negative = not told.
json known(std::int64_t value) { return value < 0 ? json() : json(value); }

json to_json(const facts::Files& files) {
  return {{"text", files.text},
          {"links", files.links},
          {"denied", files.denied},
          {"cut", files.cut},
          {"full", files.full}};
}

json to_json(const facts::Live& live) {
  return {{"glibc", live.glibc},
          {"shmBytes", known(live.shm_bytes)},
          {"shmFreeBytes", known(live.shm_free_bytes)},
          {"clockSynchronised", live.clock_synchronised ? json(*live.clock_synchronised) : json()},
          {"clockMaxErrorUs", live.clock_max_error_us},
          {"root", live.root},
          {"statLater", live.stat_later},
          {"environment", live.environment}};
}

json to_json(const facts::Nvml& nvml) {
  json gpus = json::array();
  for (const facts::Gpu& gpu : nvml.gpus)
    gpus.push_back({{"pci", gpu.pci},
                    {"name", gpu.name},
                    {"linkWidth", known(gpu.link_width)},
                    {"linkWidthMax", known(gpu.link_width_max)},
                    {"linkGeneration", known(gpu.link_generation)},
                    {"linkGenerationMax", known(gpu.link_generation_max)},
                    {"processes", known(gpu.processes)},
                    {"memoryBytes", known(gpu.memory_bytes)},
                    {"memoryUsedBytes", known(gpu.memory_used_bytes)},
                    {"persistence", known(gpu.persistence)}});
  return {{"missing", nvml.missing}, {"driver", nvml.driver}, {"gpus", gpus}};
}

json to_json(const facts::Library& library) {
  return {{"name", library.name},        {"path", library.path},   {"problem", library.problem},
          {"buildId", library.build_id}, {"bytes", library.bytes}, {"sha256", library.sha256},
          {"symbols", library.symbols}};
}

json optional_rank(std::optional<int> rank) { return rank ? json(*rank) : json(); }

}  // namespace

ControllerMessage parse_controller_message(const std::string& line) {
  const json message = parse_line(line);
  const std::string type = Fields(message, "message").text("type");
  const Fields fields(message, type);
  if (type == "hello") {
    HelloRequest hello;
    hello.protocol = fields.natural<int>("protocol");
    hello.log_level = fields.text_or("logLevel", "");
    if (fields.has("beatMs")) hello.beat_ns = fields.natural<std::int64_t>("beatMs") * 1'000'000;
    return hello;
  }
  if (type == "beat") return BeatMessage{};
  if (type == "clock") return ClockRequest{fields.natural<std::int64_t>("id")};
  if (type == "probe") return parse_probe(fields);
  if (type == "launch") return parse_launch(fields);
  if (type == "exchanged") return parse_exchanged(fields);
  if (type == "measure") return parse_measure(fields);
  if (type == "stop") return StopRequest{fields.natural<int>("launch")};
  if (type == "sample") return parse_sample(fields);
  if (type == "unsample") return UnsampleRequest{};
  if (type == "facts") return parse_facts(fields);
  if (type == "door") return parse_door(fields);
  if (type == "knock") return parse_knock(fields);
  throw Error(ErrorCode::kProtocol, "message.type '" + type.substr(0, 100) +
                                        "' is unknown; there are: hello, beat, clock, probe, launch, "
                                        "exchanged, measure, stop, sample, unsample, facts, door, knock");
}

RankMessage parse_rank_message(const std::string& line) {
  const json message = parse_line(line);
  const std::string type = Fields(message, "message").text("type");
  const Fields fields(message, type);
  if (type == "exchange") return RankExchange{fields.text("key"), fields.text("data")};
  if (type == "ready")
    return RankIsReady{{fields.text("device"), fields.text("detail"),
                        fields.text("medium") == "emulated" ? Medium::kEmulated : Medium::kHardware,
                        fields.at("facts").get<std::map<std::string, std::string>>(),
                        fields.boolean("unbound")}};
  if (type == "measured")
    return RankMeasured{fields.natural<std::uint64_t>("block"), fields.at("outcome").dump()};
  if (type == "error")
    return RankFailed{fields.text("code"), fields.text("phase"), fields.text("message"),
                      fields.natural<std::int64_t>("raisedNs")};
  throw Error(ErrorCode::kProtocol, "message.type '" + type.substr(0, 100) + "' from a rank is unknown");
}

std::string to_line(const RankExchange& m) {
  return dump_line({{"type", "exchange"}, {"key", m.key}, {"data", m.data}});
}
std::string to_line(const RankIsReady& m) {
  return dump_line({{"type", "ready"},
                    {"device", m.ready.device},
                    {"detail", m.ready.detail},
                    {"medium", medium_name(m.ready.medium)},
                    {"facts", m.ready.facts},
                    {"unbound", m.ready.unbound}});
}
std::string to_line(const RankMeasured& m) {
  return R"({"type":"measured","block":)" + std::to_string(m.block) + R"(,"outcome":)" + m.outcome_json +
         "}\n";
}
std::string to_line(const RankFailed& m) {
  return dump_line({{"type", "error"},
                    {"code", m.code},
                    {"phase", m.phase},
                    {"message", m.message},
                    {"raisedNs", m.raised_ns}});
}

std::string outcome_json(const RankOutcome& outcome) {
  json first;
  if (outcome.wrong.first) {
    const FirstWrong& f = *outcome.wrong.first;
    first = {{"iteration", f.iteration},
             {"index", f.index},
             {"wanted", f.wanted},
             {"got", f.got},
             {"note", f.note}};
  }
  json text = {{"rank", outcome.rank},
               {"algorithm", outcome.algorithm},
               {"protocol", outcome.protocol},
               {"paths", outcome.paths},
               {"clock", outcome.samples.device_clock ? "device" : "host"},
               {"markNs", outcome.samples.mark_ns},
               {"launchNs", outcome.samples.launch_ns},
               {"batch", outcome.samples.batch},
               {"operations", outcome.operations},
               {"windowNs", outcome.samples.window_ns},
               {"commonStartNs", outcome.samples.common_start_ns},
               {"startNs", outcome.samples.start_ns},
               {"endNs", outcome.samples.end_ns},
               {"late", outcome.samples.late},
               {"warmupNs", outcome.samples.warmup_ns},
               {"checks", outcome.checks},
               {"wrong",
                {{"wrongElements", outcome.wrong.wrong_elements},
                 {"comparedElements", outcome.wrong.compared_elements},
                 {"first", first}}},
               {"counters",
                {{"bytesSent", outcome.counters.bytes_sent},
                 {"bytesReceived", outcome.counters.bytes_received},
                 {"messagesSent", outcome.counters.messages_sent},
                 {"messagesReceived", outcome.counters.messages_received}}}};
  // Only where the launch spans machines: absent fields say that there was one clock.
  if (outcome.samples.clock_offset_ns) text["clockOffsetNs"] = *outcome.samples.clock_offset_ns;
  if (outcome.samples.clock_uncertainty_ns)
    text["clockUncertaintyNs"] = *outcome.samples.clock_uncertainty_ns;
  return text.dump(-1, ' ', false, json::error_handler_t::replace);
}

Place read_place() { return {metrics::read_boot_id(), metrics::read_clock_id()}; }

std::string hello_line(const std::vector<std::string>& engines,
                       const std::vector<TransportCapability>& transports,
                       const metrics::Inventory& inventory, const Place& place, std::int64_t clock_ns) {
  json list = json::array();
  for (const TransportCapability& one : transports) list.push_back(to_json(one));
  json numa = json::array();
  for (const metrics::NumaNode& node : inventory.numa)
    numa.push_back({{"node", node.number}, {"cpus", node.cpus}});
  return dump_line({{"type", "hello"},
                    {"protocol", kProtocolVersion},
                    {"version", kVersion},
                    {"engines", engines},
                    {"transports", list},
                    {"inventory", to_json(inventory)},
                    {"machine", place.machine},
                    {"clock", place.clock},
                    {"cpus", inventory.cpus},
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

std::string facts_line(std::int64_t id, const facts::MachineFacts& facts) {
  json libraries = json::array();
  for (const facts::Library& library : facts.libraries) libraries.push_back(to_json(library));
  return dump_line({{"type", "facts"},
                    {"id", id},
                    {"facts",
                     {{"files", to_json(facts.files)},
                      {"live", facts.live ? to_json(*facts.live) : json()},
                      {"nvml", facts.nvml ? to_json(*facts.nvml) : json()},
                      {"libraries", libraries}}}});
}

std::string door_line(std::int64_t id, const Door& door) {
  return dump_line({{"type", "door"},
                    {"id", id},
                    {"interface", door.interface_name},
                    {"address", door.address},
                    {"port", door.port},
                    {"problem", door.problem},
                    {"realtimeNs", door.realtime_ns}});
}

std::string knocked_line(const Reach::Knocked& knocked) {
  json results = json::array();
  for (const KnockResult& one : knocked.results)
    results.push_back({{"outcome", one.outcome},
                       {"detail", one.detail},
                       {"connectNs", one.connect_ns},
                       {"elapsedNs", one.elapsed_ns},
                       {"pathMtu", known(one.path_mtu)},
                       {"segmentBytes", known(one.segment_bytes)}});
  return dump_line({{"type", "knocked"}, {"id", knocked.id}, {"results", results}});
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
                    {"kind", failure.kind},
                    {"code", failure.code},
                    {"rank", optional_rank(failure.rank)},
                    {"phase", failure.phase},
                    {"message", failure.message},
                    {"ranks", ranks},
                    {"traffic", traffic},
                    {"ras", failure.ras}});
}

namespace {

json to_json(const metrics::SourceFailure& failure) {
  return {{"source", failure.source}, {"reason", failure.reason}};
}

/// Most values are whole numbers; what is not there, or not read at this tick, is null.
void append_number(std::string& text, double value) {
  constexpr double kExactBelow = 9007199254740992.0;  // 2^53
  char digits[32];
  if (!std::isfinite(value)) {
    text += "null";
  } else if (std::abs(value) < kExactBelow && value == std::trunc(value)) {
    const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value)).ptr;
    text.append(digits, end);
  } else {
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
}

}  // namespace

std::string sampling_line(std::int64_t interval_ns, const std::vector<metrics::Channel>& channels,
                          const std::vector<metrics::SourceFailure>& failed) {
  json list = json::array(), absent = json::array();
  for (const metrics::Channel& one : channels)
    list.push_back({{"name", one.name}, {"unit", one.unit}, {"cumulative", one.cumulative}});
  for (const metrics::SourceFailure& one : failed) absent.push_back(to_json(one));
  return dump_line(
      {{"type", "sampling"}, {"intervalUs", interval_ns / 1000}, {"channels", list}, {"failed", absent}});
}

// By hand: the only message whose length grows with time.
std::string samples_line(const metrics::RowRing& rows, std::size_t count) {
  std::string starts, costs, values;
  values.reserve(count * (4 * rows.columns() + 2));
  for (std::size_t i = 0; i < count; ++i) {
    const metrics::RowRing::Row& row = rows.at(i);
    const char* comma = i == 0 ? "" : ",";
    starts += comma + std::to_string(row.start_ns);
    costs += comma + std::to_string(row.cost_ns);
    values += i == 0 ? "[" : ",[";
    for (std::size_t c = 0; c < rows.columns(); ++c) {
      if (c > 0) values += ',';
      append_number(values, row.values[c]);
    }
    values += ']';
  }
  return R"({"type":"samples","startNs":[)" + starts + R"(],"costNs":[)" + costs + R"(],"values":[)" +
         values + "]}\n";
}

std::string source_failed_line(const metrics::SourceFailure& failure) {
  return dump_line({{"type", "sourceFailed"}, {"source", failure.source}, {"reason", failure.reason}});
}

std::string sampled_line(const SamplingCost& cost) {
  return dump_line(
      {{"type", "sampled"},
       {"ticks", cost.ticks},
       {"missedTicks", cost.missed_ticks},
       {"cpuNs", cost.cpu_ns},
       {"residentBytes", cost.resident_bytes},
       {"jitterNs",
        {{"median", cost.jitter_median_ns}, {"p99", cost.jitter_p99_ns}, {"max", cost.jitter_max_ns}}}});
}

std::string log_line(const char* level, int launch, int rank, const std::string& text) {
  return dump_line({{"type", "log"}, {"level", level}, {"launch", launch}, {"rank", rank}, {"text", text}});
}

}  // namespace collbench::agent
