#include "engines/worker/rendezvous.h"

namespace collbench::worker {

EngineSettings torchrun_variables(const WorkerAddresses& addresses) {
  const std::string& first = addresses.addresses.front();
  const std::size_t colon = first.rfind(':');
  std::string host = first.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {{"MASTER_ADDR", host},
          {"MASTER_PORT", first.substr(colon + 1)},
          {"WORLD_SIZE", std::to_string(addresses.addresses.size())},
          {"RANK", std::to_string(addresses.rank)},
          {"LOCAL_RANK", std::to_string(addresses.local_rank)},
          {"GLOO_SOCKET_IFNAME", addresses.interface}};
}

}  // namespace collbench::worker
