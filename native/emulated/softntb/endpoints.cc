#include "emulated/softntb/endpoints.h"

#include <fstream>
#include <set>

namespace collbench::softntb {

std::string endpoint_name(const std::string& fabric, unsigned node, Endpoint kind, unsigned number) {
  return "softntb/" + fabric + "/" + std::to_string(node) + "/" + static_cast<char>(kind) + "/" +
         std::to_string(number);
}

bool node_present(const std::string& fabric, unsigned node) {
  const std::string prefix = "@softntb/" + fabric + "/" + std::to_string(node) + "/";
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    if (line.find(prefix) != std::string::npos) return true;
  }
  return false;
}

FabricUsers fabric_users(const std::string& fabric) {
  const std::string prefix = "@softntb/" + fabric + "/";
  const std::string kind = std::string("/") + static_cast<char>(Endpoint::kProcess) + "/";
  FabricUsers users;
  std::set<std::string> processes;
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    const std::size_t begin = line.find(prefix);
    if (begin == std::string::npos) continue;
    const std::size_t at = line.find(kind, begin + prefix.size());
    if (at == std::string::npos) continue;
    ++users.adapters;
    processes.insert(line.substr(at + kind.size()));
  }
  users.processes = static_cast<int>(processes.size());
  return users;
}

}  // namespace collbench::softntb
