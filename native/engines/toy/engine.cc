// The smallest engine: it has no memory, moves nothing and takes any transport's name. For tests, and for
// workloads that need no engine.
#include "engines/engine.h"

namespace collbench {
namespace {

constexpr const char* kDetail = "moves nothing";

class ToyEngine final : public Engine {
 public:
  [[nodiscard]] DeviceProperties device() const override {
    DeviceProperties device;
    device.name = "toy";
    device.detail = kDetail;
    return device;
  }
};

std::unique_ptr<Engine> create(Bootstrap& /*bootstrap*/, const EngineOptions& /*options*/) {
  return std::make_unique<ToyEngine>();
}

Abilities abilities() { return {{Ability::kHostClock, {}}}; }

Availability probe(const std::string& /*transport*/, const TransportOptions& /*options*/,
                   const Settings& /*settings*/) {
  return {true, Medium::kHardware, kDetail, "", "", {}};
}

}  // namespace

EngineEntry toy_engine() { return {"toy", create, abilities, probe}; }

}  // namespace collbench
