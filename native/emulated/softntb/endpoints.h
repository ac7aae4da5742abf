#pragma once
// Names of the fabric's sockets, "softntb/<fabric>/<node>/<kind>/<number>", and the processes that have them
// open.
#include <string>

#include "core/local_socket.h"

namespace collbench::softntb {

using namespace ipc;
using collbench::FileDescriptor;

/// Kinds of sockets of the emulation: one of a process per node that it uses; one per segment, interrupt and
/// data interrupt; one that reserves an automatic segment id.
enum class Endpoint : char {
  kProcess = 'p',
  kSegment = 's',
  kInterrupt = 'i',
  kDataInterrupt = 'd',
  kAutoId = 'a'
};

/// Returns the (abstract) name of a socket of the emulated fabric, by which other processes find it.
/// @param number number of the segment or interrupt; process id for kProcess
std::string endpoint_name(const std::string& fabric, unsigned node, Endpoint kind, unsigned number);

/// True if any process of the emulated fabric uses this node. Found in /proc/net/unix, which lists the
/// sockets of all processes.
bool node_present(const std::string& fabric, unsigned node);

/// Current use of an emulated fabric: number of adapters in use (each rank uses one), and number of processes
/// that use them.
struct FabricUsers {
  int adapters = 0;
  int processes = 0;
};
/// Counts the adapters and processes that use this emulated fabric now.
FabricUsers fabric_users(const std::string& fabric);

}  // namespace collbench::softntb
