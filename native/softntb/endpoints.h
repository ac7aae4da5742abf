#pragma once
// Names of the fabric's sockets, "softntb/<fabric>/<node>/<kind>/<number>", and the processes that have them
// open.
#include <string>

#include "softcard/local_socket.h"

namespace collbench::softntb {

using namespace softcard;

enum class Endpoint : char {
  kProcess = 'p',
  kSegment = 's',
  kInterrupt = 'i',
  kDataInterrupt = 'd',
  kAutoId = 'a'
};

std::string endpoint_name(const std::string& fabric, unsigned node, Endpoint kind, unsigned number);

/// True if any process of the fabric uses this node. Searches /proc/net/unix for the node's sockets.
bool node_present(const std::string& fabric, unsigned node);

/// Current use of the fabric: adapters in use (one per rank) and the number of processes that use them.
struct FabricUsers {
  int adapters = 0;
  int processes = 0;
};
FabricUsers fabric_users(const std::string& fabric);

}  // namespace collbench::softntb
