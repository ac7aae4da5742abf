#include "transports/registry.h"

#include "transports/sisci/transport.h"
#include "transports/socket/transport.h"

namespace collbench {
namespace {

constexpr TransportEntry kTransports[] = {
    {"socket", "TCP sockets", probe_socket, create_socket},
    {"sisci", "Dolphin PCIe NTB through SISCI, or its emulation softntb", probe_sisci, create_sisci},
};

}  // namespace

std::span<const TransportEntry> transports() { return kTransports; }

const TransportEntry* find_transport(std::string_view name) {
  for (const TransportEntry& entry : kTransports)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace collbench
