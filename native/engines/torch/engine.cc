// PyTorch: DistributedDataParallel, one Python process for each rank (worker.py).
#include "engines/torch/worker_text.h"
#include "engines/worker/framework.h"

namespace collbench {
namespace {

constexpr std::string_view kModules[] = {"torch", "torchvision"};
constexpr std::string_view kTransports[] = {"socket"};

/// torch.distributed finds its ranks by these (env://); Gloo would otherwise listen where the host's name
/// resolves to.
Settings environment(const worker::Meeting& meeting) {
  const std::string& first = meeting.addresses.front();
  const std::size_t colon = first.rfind(':');
  std::string host = first.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {{"MASTER_ADDR", host},
          {"MASTER_PORT", first.substr(colon + 1)},
          {"WORLD_SIZE", std::to_string(meeting.addresses.size())},
          {"RANK", std::to_string(meeting.rank)},
          {"LOCAL_RANK", std::to_string(meeting.local_rank)},
          {"GLOO_SOCKET_IFNAME", meeting.interface}};
}

const worker::Framework kTorch{
    "torch",     "PyTorch", torch::worker_text, kModules, "pip install torch torchvision",
    kTransports, true,      environment};

std::unique_ptr<Engine> create(Bootstrap& bootstrap, const EngineOptions& options) {
  return worker::make_engine(kTorch, bootstrap, options);
}

Abilities abilities() { return {{Ability::kTraining, {{"numerics", {"fp32", "tf32", "amp-bf16", "bf16"}}}}}; }

Availability probe(const std::string& transport, const TransportOptions& options, const Settings& settings) {
  return worker::probe(kTorch, transport, options, settings);
}

}  // namespace

EngineEntry torch_engine() { return {"torch", create, abilities, probe, true}; }

}  // namespace collbench
