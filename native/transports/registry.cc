#include "transports/registry.h"

#include "transports/ibgda/transport.h"
#include "transports/plugin/transport.h"
#include "transports/shm/transport.h"
#include "transports/sisci/transport.h"
#include "transports/socket/transport.h"

namespace collbench {
namespace {

constexpr TransportEntry kTransports[] = {
    {"socket", "TCP sockets", probe_socket, create_socket},
    {"sisci", "Dolphin PCIe NTB through SISCI, or its emulation softntb", probe_sisci, create_sisci},
    {"ibgda", "InfiniBand queues written by their initiator, on a ConnectX or its emulation softmlx5",
     probe_ibgda, create_ibgda},
    {"shm", "memory shared by rank processes of one machine", probe_shm, create_shm},
    {"plugin", "any NCCL net plugin on host memory: plugin:PATH", probe_plugin, create_plugin},
};

}  // namespace

void Availability::miss(const std::string& missing, const std::string& its_remedy) {
  reason += (reason.empty() ? "" : " ") + missing + (missing.ends_with('.') ? "" : ".");
  if (remedy.find(its_remedy) == std::string::npos) remedy += (remedy.empty() ? "" : " ") + its_remedy;
}

Availability refused(const std::exception& error, const std::string& remedy) {
  Availability answer;
  answer.miss(error.what(), remedy);
  return answer;
}

std::span<const TransportEntry> transports() { return kTransports; }

const TransportEntry* find_transport(std::string_view name) {
  const std::string_view table_name = name.substr(0, name.find(':'));  // plugin:PATH
  for (const TransportEntry& entry : kTransports)
    if (entry.name == table_name && (table_name == name || entry.name == "plugin")) return &entry;
  return nullptr;
}

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
