#pragma once
// Peers that an algorithm sends to, and so how many connections it needs.
#include "collectives/collective.h"
#include "engines/cpu/algorithms/algorithms.h"
#include "transports/transport.h"

namespace collbench::cpu {

/// Largest number of ranks for which every rank connects to every other before the first operation. With more
/// ranks, connections are made when an algorithm needs them. Reason: the n-1 connections per rank need as
/// many memory windows and entries of the kernel's neighbour table. Linux has 1024 such entries for all
/// network namespaces together.
inline constexpr int kFullMeshRanks = 16;
/// Largest number of ranks among which connections between all pairs are possible. Over sisci each connection
/// takes 1 MiB of the receiver's memory.
inline constexpr int kMaxMeshRanks = 64;

/// Returns the set with the most peers that `ranks` ranks can connect to on this device.
/// @throws Error(kUnavailable) if the device has too few connections for the smallest set: kAll for up to
/// kFullMeshRanks ranks, kRing for more
PeerSet widest_peer_set(const DeviceProperties& device, int ranks);

/// Returns true if the set needs a connection on which rank `from` sends to rank `to`. kAll includes kNear,
/// which includes kRing.
bool contains_peer(PeerSet peer_set, int from, int to, int ranks) noexcept;

/// Returns the smallest set of peers that a rank must be connected to so that the algorithm can execute this
/// operation.
PeerSet peer_set_of(const AlgorithmRow& row, const Operation& operation) noexcept;

}  // namespace collbench::cpu
