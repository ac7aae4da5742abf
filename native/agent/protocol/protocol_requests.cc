// Parses and checks the controller's requests.
#include <set>

#include "agent/protocol/protocol.h"
#include "agent/protocol/protocol_json.h"
#include "metrics/parse.h"

namespace collbench::agent {
namespace {

TransportOptions parse_options(const JsonFields& fields) {
  TransportOptions options;
  for (const auto& [name, value] : fields.raw().items()) {
    const char* key = name.c_str();
    if (name == "interface")
      options.interface_name = fields.text(key);
    else if (name == "token")
      options.token = fields.text(key);
    else if (name == "streams")
      options.streams = fields.integer<int>(key, 0, 64);
    else if (name == "queue")
      options.queue = fields.text(key);
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
                                            "streams, queue, link, fault, library, pathProof");
  }
  return options;
}

/// Divides "plugin:PATH" into the transport "plugin" and options.library with the path; other transports are
/// not changed.
void split_plugin(std::string& transport, TransportOptions& options) {
  constexpr std::string_view kPrefix = "plugin:";
  if (!transport.starts_with(kPrefix)) return;
  options.library = transport.substr(kPrefix.size());
  transport = "plugin";
}

EngineSettings parse_settings(const JsonFields& fields) {
  EngineSettings settings;
  if (!fields.has("settings")) return settings;
  const JsonFields object = fields.object("settings");
  for (const auto& item : object.raw().items()) settings[item.key()] = object.text(item.key().c_str());
  return settings;
}

std::map<std::string, std::string> parse_environment(const JsonFields& fields) {
  std::map<std::string, std::string> variables;
  const JsonFields environment = fields.object("environment");
  for (const auto& item : environment.raw().items()) {
    if (item.key().empty() || item.key().find('=') != std::string::npos)
      fields.fail("environment", "names without '='", json(item.key()));
    variables[item.key()] = environment.text(item.key().c_str());
  }
  return variables;
}

ProbeRequest parse_probe(const JsonFields& fields) {
  ProbeRequest probe{fields.natural<std::int64_t>("id"), fields.text_or("engine", ""),
                     fields.text("transport"), parse_options(fields.object("options")),
                     parse_settings(fields)};
  split_plugin(probe.transport, probe.options);
  if (fields.has("environment")) probe.environment = parse_environment(fields);
  if (fields.has("deadlineMs"))
    probe.deadline_ns = fields.integer<std::int64_t>("deadlineMs", 1, 1'000'000'000) * 1'000'000;
  return probe;
}

std::vector<int> parse_list(const JsonFields& fields, const char* name) {
  const auto numbers = metrics::parse_list(fields.text(name));
  if (!numbers) fields.fail(name, "a list such as 0-3,8", fields.at(name));
  return *numbers;
}

/// Returns the CPUs and memory nodes that the launch message has for each local rank, in the order of
/// local_ranks.
std::vector<RankPlacement> parse_placements(const JsonFields& launch, const std::vector<int>& local_ranks) {
  const json& list = launch.at("places");
  if (!list.is_array()) launch.fail("places", "a list", list);
  std::vector<RankPlacement> placements;
  for (const json& one : list) {
    const JsonFields fields(one, launch.where("places"));
    placements.push_back(
        {fields.natural<int>("rank"), parse_list(fields, "cpus"), parse_list(fields, "memoryNodes")});
  }
  std::sort(placements.begin(), placements.end(),
            [](const RankPlacement& a, const RankPlacement& b) { return a.rank < b.rank; });
  const auto is_rank = [](const RankPlacement& place, int rank) { return place.rank == rank; };
  if (!std::equal(placements.begin(), placements.end(), local_ranks.begin(), local_ranks.end(), is_rank))
    launch.fail("places", "one for each of localRanks", list);
  return placements;
}

LaunchRequest parse_launch(const JsonFields& fields) {
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
  if (fields.has("places")) launch.placements = parse_placements(fields, launch.local_ranks);
  launch.seed = fields.natural<std::uint64_t>("seed");
  launch.environment = parse_environment(fields);
  if (fields.has("together")) {
    const JsonFields together = fields.object("together");
    const auto local_ranks = static_cast<std::int64_t>(launch.local_ranks.size());
    launch.together.ranks = together.integer<int>("ranks", local_ranks, 1 << 20);
    launch.together.before = together.integer<int>("before", 0, launch.together.ranks - local_ranks);
  }
  if (fields.has("turn")) launch.turn = fields.natural<int>("turn");
  launch.deadline_ns = fields.integer<std::int64_t>("deadlineMs", 1, 1'000'000'000) * 1'000'000;
  return launch;
}

/// Returns the axis values (parameters of the workload) in a `measure` message. Whether they make sense is
/// checked by the workload.
Axes parse_axes(const JsonFields& fields) {
  std::map<std::string, AxisValue> axes;
  for (const auto& [name, value] : fields.raw().items()) {
    AxisValue& axis = axes[name];
    if (value.is_boolean())
      axis = value.get<bool>();
    else if (value.is_string())
      axis = value.get<std::string>();
    else if (value.is_number())
      axis = fields.integer<std::int64_t>(name.c_str(), -kMaxExactInteger, kMaxExactInteger);
    else if (!value.is_null())
      fields.fail(name, "a string, an integer, true, false or null", value);
  }
  return Axes(std::move(axes));
}

MeasureRequest parse_measure(const JsonFields& fields) {
  MeasureRequest measure;
  measure.launch = fields.natural<int>("launch");
  measure.spec.workload = {fields.text("workload"), parse_axes(fields.object("axes")),
                           fields.text_or("script", "")};
  const JsonFields trial = fields.object("trial");
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

ExchangedMessage parse_exchanged(const JsonFields& fields) {
  ExchangedMessage exchanged{fields.natural<int>("launch"), fields.text("key"), {}};
  const json& data = fields.at("data");
  if (!data.is_array()) fields.fail("data", "a list of strings", data);
  for (const json& one : data) {
    if (!one.is_string()) fields.fail("data", "a list of strings", one);
    exchanged.data.push_back(one.get<std::string>());
  }
  return exchanged;
}

SampleRequest parse_sample(const JsonFields& fields) {
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
    constexpr std::size_t kMaxRanks = 4096;
    const json& ranks = fields.at("ranks");
    if (!ranks.is_array() || ranks.size() > kMaxRanks)
      fields.fail("ranks", "a list of at most " + std::to_string(kMaxRanks) + " ranks", ranks);
    std::set<int> different;
    for (const json& one : ranks) {
      if (!one.is_number_integer() || one < 0 || one >= kMaxRanks || !different.insert(one.get<int>()).second)
        fields.fail("ranks", "different ranks from 0 to " + std::to_string(kMaxRanks - 1), one);
    }
    sample.ranks.emplace(different.begin(), different.end());
  }
  return sample;
}
FactsRequest parse_facts(const JsonFields& fields) {
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

ProbeListenerRequest parse_probe_listener(const JsonFields& fields) {
  return {fields.natural<std::int64_t>("id"), fields.text_or("interface", ""), fields.text("word")};
}

ReachabilityProbeRequest parse_reachability_probe(const JsonFields& fields) {
  ReachabilityProbeRequest request{fields.natural<std::int64_t>("id"),
                                   fields.text_or("interface", ""),
                                   fields.text("word"),
                                   {},
                                   fields.integer<std::int64_t>("timeoutMs", 1, 600'000) * 1'000'000};
  const json& targets = fields.at("targets");
  if (!targets.is_array() || targets.size() > kMaxProbeTargets)
    fields.fail("targets", "an array of at most " + std::to_string(kMaxProbeTargets), targets);
  for (const json& one : targets) {
    const JsonFields target(one, "connect.targets");
    request.targets.push_back({target.text("address"), target.integer<int>("port", 1, 65535)});
  }
  return request;
}

}  // namespace

ControllerMessage parse_controller_message(const std::string& line) {
  const json message = parse_line(line);
  const std::string type = JsonFields(message, "message").text("type");
  const JsonFields fields(message, type);
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
  if (type == "listener") return parse_probe_listener(fields);
  if (type == "connect") return parse_reachability_probe(fields);
  throw Error(ErrorCode::kProtocol,
              "message.type '" + type.substr(0, 100) +
                  "' is unknown; there are: hello, beat, clock, probe, launch, "
                  "exchanged, measure, stop, sample, unsample, facts, listener, connect");
}

}  // namespace collbench::agent
