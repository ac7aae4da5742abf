// The agent as it is, with the mock engine instead of the real ones and no transports.
#include "agent/agent.h"
#include "agent/tests/mock_engine.h"

int main(int argc, char** argv) {
  collbench::agent::Capabilities capabilities;
  capabilities.find_engine = &collbench::agent::find_mock_engine;
  capabilities.engines = {"mock"};
  return collbench::agent::agent_main(argc, argv, capabilities);
}
