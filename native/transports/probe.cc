#include "transports/registry.h"

namespace collbench {

Availability probe_device(std::unique_ptr<Transport> (*create)(const TransportOptions& options),
                          const TransportOptions& options, const char* remedy) {
  Availability answer;
  try {
    const auto device = create(options)->devices().front();
    answer.available = true;
    answer.medium = device.medium;
    answer.detail = device.detail;
  } catch (const std::exception& error) {
    answer.reason = error.what();
    answer.remedy = remedy;
  }
  return answer;
}

}  // namespace collbench
