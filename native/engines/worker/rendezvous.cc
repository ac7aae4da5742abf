#include "engines/worker/rendezvous.h"

namespace collbench::worker {

Settings torchrun_variables(const Meeting& meeting) {
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

}  // namespace collbench::worker
