#include "agent/agent.h"

int main(int argc, char** argv) {
  return collbench::agent::agent_main(argc, argv, {collbench::engines(), collbench::transports()});
}
