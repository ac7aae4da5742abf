#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>

#include "agent/agent.h"
#include "agent/probe_process.h"
#include "agent/protocol/protocol.h"
#include "agent/rank_process.h"
#include "core/cores.h"

namespace collbench::agent {
namespace {

constexpr const char* kHelp =
    "collbench-agent: the one collbench process on a node. Started by collbench, not by hand.\n"
    "  collbench-agent                   speak the agent protocol over stdin and stdout (one JSON object per "
    "line);\n"
    "                                    ends, with all its processes, when stdin ends\n"
    "  collbench-agent rank RANK INDEX   one rank process, started by the agent (control on fd 3, board on "
    "fd 4)\n"
    "  collbench-agent probe             asks one plugin, started by the agent (control on fd 3)\n"
    "  collbench-agent --version | --help\n"
    "Environment: COLLBENCH_LOG=warn|info|debug, COLLBENCH_PIN=0 (do not bind ranks to cores)\n";

std::optional<int> natural(const char* text) {
  char* end = nullptr;
  errno = 0;
  const long value = std::strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < 0 || value > 1'000'000) return std::nullopt;
  return static_cast<int>(value);
}

/// Returns a duplicate of stdout for the agent's messages. Stdout itself is redirected to stderr, so that
/// libraries that print do not disturb the messages.
int own_stdout() {
  const int protocol = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (protocol < 0) return STDOUT_FILENO;
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return protocol;
}

}  // namespace

int agent_main(int argc, char** argv, const AgentCapabilities& capabilities) {
  if (argc == 1) {
    declare_cores();
    return run_agent(STDIN_FILENO, own_stdout(), capabilities);
  }
  const std::string_view verb = argv[1];
  if (verb == "--version") {
    std::printf("collbench-agent %s (protocol %d)\n", kVersion, kProtocolVersion);
    return 0;
  }
  if (verb == "--help" || verb == "-h") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (verb == "rank" && argc == 4) {
    const auto rank = natural(argv[2]), index = natural(argv[3]);
    if (rank && index) return run_rank(*rank, *index, capabilities.engines);
  }
  if (verb == "probe" && argc == 2) return run_probe(capabilities);
  std::fprintf(
      stderr,
      "collbench-agent: '%s' is no command; allowed: nothing, rank RANK INDEX, probe, --version, --help\n",
      argv[1]);
  return 1;
}

}  // namespace collbench::agent
