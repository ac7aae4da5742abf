#include "contract/tests/samples.h"

namespace collbench::agent {
namespace {

using nlohmann::json;

std::string list_of(const std::vector<int>& numbers) {
  std::string text;
  for (const int one : numbers) text += (text.empty() ? "" : ",") + std::to_string(one);
  return text;
}

json options_of(const TransportOptions& o) {
  return {{"interface", o.interface_name},
          {"token", o.token},
          {"streams", o.streams},
          {"queue", o.queue},
          {"link", o.link},
          {"fault", o.fault},
          {"library", o.library},
          {"pathProof", o.path_proof}};
}

json to_json(const HelloRequest& m) {
  return {{"type", "hello"},
          {"protocol", m.protocol},
          {"logLevel", m.log_level},
          {"beatMs", m.beat_ns / 1'000'000}};
}
json to_json(const BeatMessage&) { return {{"type", "beat"}}; }
json to_json(const ClockRequest& m) { return {{"type", "clock"}, {"id", m.id}}; }
json to_json(const ProbeRequest& m) {
  return {{"type", "probe"},
          {"id", m.id},
          {"engine", m.engine},
          {"transport", m.transport},
          {"settings", m.settings},
          {"options", options_of(m.options)},
          {"environment", m.environment},
          {"deadlineMs", m.deadline_ns / 1'000'000}};
}
json to_json(const LaunchRequest& m) {
  json places = json::array();
  for (const RankPlacement& one : m.placements.value_or(std::vector<RankPlacement>{}))
    places.push_back(
        {{"rank", one.rank}, {"cpus", list_of(one.cpus)}, {"memoryNodes", list_of(one.memory_nodes)}});
  return {{"type", "launch"},
          {"launch", m.launch},
          {"engine", m.engine},
          {"transport", m.transport},
          {"options", options_of(m.options)},
          {"algorithm", m.algorithm.empty() ? json() : json(m.algorithm)},
          {"settings", m.settings},
          {"ranks", m.ranks},
          {"localRanks", m.local_ranks},
          {"places", places},
          {"output", m.output},
          {"seed", m.seed},
          {"environment", m.environment},
          {"together", {{"ranks", m.together.ranks}, {"before", m.together.before}}},
          {"turn", m.turn},
          {"deadlineMs", m.deadline_ns / 1'000'000}};
}
json to_json(const ExchangedMessage& m) {
  return {{"type", "exchanged"}, {"launch", m.launch}, {"key", m.key}, {"data", m.data}};
}
json to_json(const MeasureRequest& m) {
  json axes;
  for (const auto& [name, value] : m.spec.workload.axes.values())
    std::visit(
        [&](const auto& held) {
          if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
            axes[name] = nullptr;
          else
            axes[name] = held;
        },
        value);
  const TrialSpec& trial = m.spec.trial;
  return {{"type", "measure"},
          {"launch", m.launch},
          {"block", trial.block},
          {"workload", m.spec.workload.name},
          {"axes", axes},
          {"script", m.spec.workload.script},
          {"trial",
           {{"kind", trial.kind == TrialKind::kIsolated ? "isolated" : "pipelined"},
            {"firstIteration", trial.first_iteration},
            {"warmup", trial.warmup},
            {"minSamples", trial.min_samples},
            {"maxSamples", trial.max_samples},
            {"targetNs", trial.target_ns},
            {"batch", trial.batch},
            {"checkEvery", trial.check_every},
            {"check", m.spec.check}}},
          {"release", m.spec.release},
          {"startAtNs", m.spec.start_at_ns},
          {"deadlineMs", m.deadline_ns / 1'000'000}};
}
json to_json(const StopRequest& m) { return {{"type", "stop"}, {"launch", m.launch}}; }
json to_json(const SampleRequest& m) {
  return {{"type", "sample"},
          {"intervalUs", m.interval_ns / 1'000},
          {"sources", m.sources.empty() ? json() : json(m.sources)},
          {"ranks", m.ranks.value_or(std::vector<int>{})}};
}
json to_json(const UnsampleRequest&) { return {{"type", "unsample"}}; }
json to_json(const FactsRequest& m) {
  return {{"type", "facts"},
          {"id", m.id},
          {"plugins", m.request.plugins},
          {"hashes", m.request.hashes},
          {"brief", m.request.brief}};
}
json to_json(const ProbeListenerRequest& m) {
  return {{"type", "listener"}, {"id", m.id}, {"interface", m.interface_name}, {"word", m.word}};
}
json to_json(const ReachabilityProbeRequest& m) {
  json targets = json::array();
  for (const ReachabilityProbeRequest::ProbeTarget& one : m.targets)
    targets.push_back({{"address", one.address}, {"port", one.port}});
  return {{"type", "connect"}, {"id", m.id},         {"interface", m.interface_name},
          {"word", m.word},    {"targets", targets}, {"timeoutMs", m.timeout_ns / 1'000'000}};
}

}  // namespace

json written_again(const ControllerMessage& message) {
  return std::visit([](const auto& one) { return to_json(one); }, message);
}

std::vector<std::string> received_samples() {
  const std::string version = std::to_string(kProtocolVersion);
  const std::string options =
      R"({"interface":"eth0","token":"00","streams":2,"queue":"dc","link":"pcie-gen1-x8","fault":"bit-flip",)"
      R"("library":"/lib/x.so","pathProof":false})";
  std::vector<std::string> lines = {
      R"({"type":"hello","logLevel":"debug","beatMs":1000,"protocol":)" + version + "}",
      R"({"type":"hello","protocol":)" + version + "}",
      R"({"type":"beat"})",
      R"({"type":"clock","id":1})",
      R"({"type":"probe","id":1,"engine":"nccl","transport":"sisci","options":)" + options +
          R"(,"settings":{"nccl":"/lib/y.so"},"environment":{"FI_PROVIDER":"tcp"},"deadlineMs":7500})",
      R"({"type":"probe","id":2,"transport":"socket","options":{}})",
      R"({"type":"launch","launch":1,"engine":"cpu","transport":"sisci","options":)" + options +
          R"(,"algorithm":"ring","settings":{"graph":"1"},"ranks":4,"localRanks":[1,2],"output":true,)"
          R"("places":[{"rank":1,"cpus":"0,1","memoryNodes":"3"},{"rank":2,"cpus":"2","memoryNodes":""}],)"
          R"("seed":7,"environment":{"NCCL_DEBUG":"INFO"},"together":{"ranks":5,"before":2},"turn":3,"deadlineMs":1000})",
      R"({"type":"exchanged","launch":1,"key":"handles","data":["AAEC","AwQF"]})",
      R"({"type":"measure","launch":1,"block":7,"workload":"collective","axes":{"collective":"broadcast",)"
      R"("dtype":"float32","op":null,"root":6,"inPlace":true,"bytes":1024},"trial":{"kind":"pipelined",)"
      R"("firstIteration":8,"warmup":2,"minSamples":5,"maxSamples":20,"targetNs":1000,"batch":9,"checkEvery":4,)"
      R"("check":false},"release":true,"startAtNs":11,"deadlineMs":1500})",
      R"({"type":"measure","launch":1,"block":8,"workload":"replay","axes":{"computeNs":10},"script":"wait","trial":{"kind":"isolated",)"
      R"("firstIteration":8,"warmup":2,"minSamples":5,"maxSamples":20,"targetNs":1000,"batch":1,"checkEvery":4,)"
      R"("check":true},"release":false,"deadlineMs":1500})",
      R"({"type":"stop","launch":1})",
      R"({"type":"sample","intervalUs":200000,"sources":["cpu"],"ranks":[1,2]})",
      R"({"type":"sample","intervalUs":200000,"sources":null,"ranks":[]})",
      R"({"type":"unsample"})",
      R"({"type":"facts","id":1,"plugins":["/lib/x.so"],"hashes":true,"brief":true})",
      R"({"type":"facts","id":2})",
      R"({"type":"listener","id":1,"interface":"eth0","word":"w"})",
      R"({"type":"connect","id":1,"interface":"eth0","word":"w","targets":[{"address":"10.0.0.1","port":4000}],)"
      R"("timeoutMs":1000})"};
  for (const EngineEntry& engine : engines())
    lines.push_back(
        R"({"type":"launch","launch":2,"engine":")" + std::string(engine.name) +
        R"(","transport":"socket","options":{},"algorithm":null,"ranks":1,"localRanks":[0],"seed":1,)"
        R"("environment":{},"deadlineMs":1000})");
  return lines;
}

}  // namespace collbench::agent
