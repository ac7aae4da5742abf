// TensorFlow: MultiWorkerMirroredStrategy, with one Python process per rank (worker.py).
#include "engines/worker/framework.h"

namespace collbench::tensorflow {

// Defined in the text that CMake makes of worker_text.cc.in.
/// Returns engines/worker/lines.py and worker.py as one text, compiled into the agent.
const char* worker_text() noexcept;

}  // namespace collbench::tensorflow

namespace collbench {
namespace {

constexpr std::string_view kModules[] = {"tensorflow"};
constexpr std::string_view kTransports[] = {"socket"};

/// Returns environment variables for a TensorFlow worker. TF_CONFIG has the addresses of all workers; without
/// it each would train alone.
EngineSettings environment(const worker::WorkerAddresses& meeting) {
  std::string workers;
  for (const std::string& address : meeting.addresses)
    workers += (workers.empty() ? "\"" : ", \"") + address + "\"";
  return {{"TF_CONFIG", R"({"cluster": {"worker": [)" + workers +
                            R"(]}, "task": {"type": "worker", "index": )" + std::to_string(meeting.rank) +
                            "}}"}};
}

const worker::Framework kTensorFlow{
    "tensorflow", "TensorFlow", tensorflow::worker_text, kModules, "pip install tensorflow", kTransports,
    false,        environment};

std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  return worker::make_engine(kTensorFlow, bootstrap, options);
}

Abilities abilities() {
  return {{Ability::kTraining, {{"numerics", {"fp32", "amp-bf16"}}, {"observed", {"none"}}}}};
}

Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings) {
  return worker::probe(kTensorFlow, transport, options, settings);
}

}  // namespace

EngineEntry tensorflow_engine() { return {"tensorflow", create, abilities, probe, true}; }

}  // namespace collbench
