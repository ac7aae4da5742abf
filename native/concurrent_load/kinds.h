#pragma once
#include <span>
#include <string_view>

#include "concurrent_load/load_task.h"

namespace collbench::concurrent_load {

/// Kinds of load that run on host CPUs. Every engine whose ranks compute on CPUs offers them. A new kind
/// needs its own file here and a row in kinds.cc.
std::span<const LoadKind> host_kinds() noexcept;

/// Creates a load of multiplications and additions in registers, on all cores of the rank's share. Its amount
/// is the number of threads.
std::vector<std::unique_ptr<LoadTask>> compute(const LoadContext& context);
/// Creates a load of copies between buffers that fit no cache. Its amount is the number of threads.
std::vector<std::unique_ptr<LoadTask>> copy(const LoadContext& context);
/// Creates a load of messages to the next rank, over its own transport object. Its amount is the number of
/// connections.
std::vector<std::unique_ptr<LoadTask>> traffic(const LoadContext& context);

/// Returns the requested amount, or `usual` if none was given.
/// @throws Error(kInvalidArgument) naming the kind and the amounts from 1 to `most`
int amount_of(const LoadContext& context, std::string_view kind, int usual, int most);

}  // namespace collbench::concurrent_load
