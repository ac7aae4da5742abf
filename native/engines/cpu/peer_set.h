#pragma once
// Peers that an algorithm sends to, and so how many connections it needs.
#include "collectives/collective.h"
#include "engines/cpu/algorithms/algorithms.h"
#include "transports/transport.h"

namespace collbench::cpu {

/// Largest number of ranks for which every rank connects to every other before anything runs. With more
/// ranks, connections are made when algorithms need them. n-1 connections per rank need as many memory
/// windows, and as many entries of the kernel's neighbour table. Linux has 1024 of these for all network
/// namespaces together.
inline constexpr int kFullMeshRanks = 16;
/// Largest number of ranks that are fully connected. Over sisci each connection takes 1 MiB of the receiver's
/// memory.
inline constexpr int kMaxMeshRanks = 64;

/// Returns the widest peer set for `ranks` ranks on this device.
/// @throws Error(kUnavailable) if the device has too few connections for them
PeerSet widest_peer_set(const DeviceProperties& device, int ranks);

/// Returns whether rank `from` sends to rank `to`. A wider peer set includes a narrower one.
bool contains_peer(PeerSet peer_set, int from, int to, int ranks) noexcept;

/// Returns the peers that the algorithm needs for this operation.
PeerSet peer_set_of(const AlgorithmRow& row, const Operation& operation) noexcept;

}  // namespace collbench::cpu
