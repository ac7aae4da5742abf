#include "agent/agent.h"
#include "engines/engine.h"

int main(int argc, char** argv) {
  using namespace collbench;
  agent::Capabilities capabilities;
  capabilities.find_engine = &find_engine;
  for (const char* name : {"cpu", "nccl", "nvshmem", "mpi"})
    if (find_engine(name) != nullptr) capabilities.engines.emplace_back(name);
  capabilities.transports = transports();
  return agent::agent_main(argc, argv, capabilities);
}
