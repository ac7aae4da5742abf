#include "transports/plugin/software_card.h"

#include <dlfcn.h>

#include <cstdlib>

namespace collbench::plugin {
namespace {

// Names of the look-alikes only: libsoftmlx5.so itself may be loaded for our own transport ibgda.
constexpr const char* kNames[] = {"libibverbs.so.1", "libmlx5.so.1"};

}  // namespace

std::optional<SoftwareCard> SoftwareCard::in_this_process() {
  for (const char* name : kNames) {
    void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    // A real libibverbs has no such function. The handle is never closed, because the function is called
    // until the process ends.
    const auto counters = reinterpret_cast<Counters>(dlsym(library, "softmlx5_counters"));
    if (counters != nullptr) return SoftwareCard(counters);
    dlclose(library);
  }
  return std::nullopt;
}

void SoftwareCard::describe(TransportDetail& detail) const {
  const char* link = std::getenv("SOFTMLX5_LINK");
  detail.software_card = "softmlx5";
  detail.link = link == nullptr || *link == '\0' ? "none" : link;
}

TransportCounters SoftwareCard::counters() const {
  softmlx5_counters_t port{};
  if (counters_(0, &port) == 0) return {};
  return {port.bytes_sent, port.bytes_received, port.packets_sent, port.packets_received};
}

}  // namespace collbench::plugin
