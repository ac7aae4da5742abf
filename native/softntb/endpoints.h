#pragma once
// Names of the fabric's sockets: "softntb/<fabric>/<node>/<kind>/<number>", and who has some open.
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

/// Whether any process of the fabric uses this node (looks for the node's sockets in /proc/net/unix).
bool node_present(const std::string& fabric, unsigned node);

/// Who uses the fabric now: adapters in use (as many as ranks) and the processes they are used by.
struct FabricUsers {
  int adapters = 0;
  int processes = 0;
};
FabricUsers fabric_users(const std::string& fabric);

}  // namespace collbench::softntb
