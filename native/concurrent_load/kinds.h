#pragma once
#include <span>
#include <string_view>

#include "concurrent_load/load_task.h"

namespace collbench::concurrent_load {

/// Kinds of load that run on host CPUs. Every engine whose ranks compute on CPUs offers them. To add a kind,
/// write a file in this folder and add a row in kinds.cc.
std::span<const LoadKind> host_kinds() noexcept;

/// Creates a load that multiplies and adds in registers, on the rank's share of the cores. Its amount is the
/// number of threads.
std::vector<std::unique_ptr<LoadTask>> compute(const LoadContext& context);
/// Creates a load that copies between buffers larger than any cache. Its amount is the number of threads.
std::vector<std::unique_ptr<LoadTask>> copy(const LoadContext& context);
/// Creates a load that sends messages to the next rank, over a transport object of its own. Its amount is the
/// number of connections.
std::vector<std::unique_ptr<LoadTask>> traffic(const LoadContext& context);

/// Returns the amount that the user requested for a load, or `usual` if none was requested.
/// @throws Error(kInvalidArgument) if it is not from 1 to `most`, with the kind and these limits
int amount_of(const LoadContext& context, std::string_view kind, int usual, int most);

}  // namespace collbench::concurrent_load
