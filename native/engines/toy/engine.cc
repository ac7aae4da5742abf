#include "engines/toy/engine.h"

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

}  // namespace

std::unique_ptr<Engine> create_toy_engine(Bootstrap& /*bootstrap*/, const EngineOptions& /*options*/) {
  return std::make_unique<ToyEngine>();
}

Abilities abilities_of_toy() { return {{Ability::kHostClock, {}}}; }

Availability probe_toy(const std::string& /*transport*/, const TransportOptions& /*options*/,
                       const Settings& /*settings*/) {
  return {true, Medium::kHardware, kDetail, "", "", {}};
}

}  // namespace collbench
