#pragma once
// Which ranks an algorithm sends to: how many connections it takes.
#include "collectives/collective.h"
#include "engines/cpu/algorithms/algorithms.h"
#include "transports/transport.h"

namespace collbench::cpu {

/// Up to here every rank connects to every other before anything runs. Above, connections are made as
/// algorithms need them: n-1 of each rank are as many memory windows, and as many entries of the kernel's
/// neighbour table, of which Linux has 1024 for all network namespaces together.
inline constexpr int kFullMeshRanks = 16;
/// Beyond, nothing connects all with all: over sisci each connection has a MiB of the receiver's memory.
inline constexpr int kMostMeshRanks = 64;

/// The widest reach that `ranks` have on this device. @throws Error(kUnavailable) more ranks than the device
/// has connections for
Reach widest_reach(const DeviceProperties& device, int ranks);

/// Whether `from` sends to `to`. What a narrower reach has, a wider one has, too.
bool reaches(Reach reach, int from, int to, int ranks) noexcept;

/// What the algorithm takes of this operation.
Reach reach_of(const AlgorithmRow& row, const Operation& operation) noexcept;

}  // namespace collbench::cpu
