#pragma once
// Names of the fabric's sockets, "softntb/<fabric>/<node>/<kind>/<number>", and the processes that have them
// open.
#include <string>

#include "core/local_socket.h"

namespace collbench::softntb {

using namespace ipc;

/// Kinds of sockets: one of a process per node that it uses, one per segment, interrupt and data interrupt,
/// and one that reserves an automatic segment id.
enum class Endpoint : char {
  kProcess = 'p',
  kSegment = 's',
  kInterrupt = 'i',
  kDataInterrupt = 'd',
  kAutoId = 'a'
};

/// Returns the name of a socket in the fabric.
/// @param number number of the segment or interrupt; process id for kProcess
std::string endpoint_name(const std::string& fabric, unsigned node, Endpoint kind, unsigned number);

/// True if any process of the fabric uses this node. It is found in /proc/net/unix, which lists the sockets
/// of all processes.
bool node_present(const std::string& fabric, unsigned node);

/// Current use of a fabric: number of adapters in use (each rank uses one), and number of processes that use
/// them.
struct FabricUsers {
  int adapters = 0;
  int processes = 0;
};
/// Counts the current users of this fabric.
FabricUsers fabric_users(const std::string& fabric);

}  // namespace collbench::softntb
