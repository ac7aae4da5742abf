// The smallest engine, for tests and for workloads that need no engine. It has no memory, moves nothing and
// accepts any transport name.
#include "engines/engine.h"

namespace collbench {
namespace {

class ToyEngine final : public Engine {
 public:
  [[nodiscard]] DeviceProperties device() const override {
    DeviceProperties device;
    device.name = "toy";
    device.detail.local_path = LocalPath::kNothing;
    return device;
  }
};

std::unique_ptr<Engine> create(Bootstrap& /*bootstrap*/, const EngineOptions& /*options*/) {
  return std::make_unique<ToyEngine>();
}

Abilities abilities() { return {{Ability::kHostClock, {}}}; }

Availability probe(const std::string& /*transport*/, const TransportOptions& /*options*/,
                   const EngineSettings& /*settings*/) {
  Availability found;
  found.available = true;
  found.detail.local_path = LocalPath::kNothing;
  return found;
}

}  // namespace

EngineEntry toy_engine() { return {"toy", create, abilities, probe}; }

}  // namespace collbench
