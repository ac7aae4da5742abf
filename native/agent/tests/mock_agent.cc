// The real agent, with the mock engine and no transports.
#include "agent/agent.h"
#include "agent/tests/mock_engine.h"

int main(int argc, char** argv) {
  return collbench::agent::agent_main(argc, argv, {collbench::agent::mock_engines(), {}});
}
