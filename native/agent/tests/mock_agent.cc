// The agent as it is, with the mock engine instead of the real ones and no transports.
#include "agent/agent.h"
#include "agent/tests/mock_engine.h"

int main(int argc, char** argv) {
  return collbench::agent::agent_main(argc, argv, {collbench::agent::mock_engines(), {}});
}
