// PyTorch: DistributedDataParallel, with one Python process per rank (worker.py).
#include "engines/worker/framework.h"
#include "engines/worker/rendezvous.h"

namespace collbench::torch {

// Defined in the text that CMake makes of worker_text.cc.in.
/// Returns engines/worker/lines.py and worker.py as one text, compiled into the agent.
const char* worker_text() noexcept;

}  // namespace collbench::torch

namespace collbench {
namespace {

constexpr std::string_view kModules[] = {"torch", "torchvision"};
constexpr std::string_view kTransports[] = {"socket"};

const worker::Framework kTorch{
    "torch",     "PyTorch", torch::worker_text,        kModules, "pip install torch torchvision",
    kTransports, true,      worker::torchrun_variables};

std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  return worker::make_engine(kTorch, bootstrap, options);
}

Abilities abilities() { return {{Ability::kTraining, {{"numerics", {"fp32", "tf32", "amp-bf16", "bf16"}}}}}; }

Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings) {
  return worker::probe(kTorch, transport, options, settings);
}

}  // namespace

EngineEntry torch_engine() { return {"torch", create, abilities, probe, true}; }

}  // namespace collbench
