#pragma once
// Ranks on several hosts meet over TCP. Who makes the unique id opens the door that the id names; the others
// tell it theirs and learn those of all. Without an interface other than lo ranks meet on abstract sockets
// (mesh.h).
#include <netinet/in.h>

#include <atomic>
#include <string>
#include <vector>

#include "engines/nccl/fake/mesh.h"

namespace collbench::nccl_fake {

/// A door of the process for ranks of this name, on the interface that NCCL_SOCKET_IFNAME names.
/// @return "10.0.0.1:4711" for the unique id; "" = the ranks are of one machine. `problem` set: no such
/// interface
std::string open_root_door(const std::string& name, std::string& problem);

/// Opens this rank's door and meets the others at the root's. All ranks call it.
/// @param root what open_root_door() gave; rank 0 is in the process that called it
Exchanged meet(const std::string& name, const std::string& root, int rank, int ranks, Doors& doors,
               const std::atomic<bool>& aborted, std::string& problem);

}  // namespace collbench::nccl_fake
