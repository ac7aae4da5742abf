#pragma once
#include <span>
#include <string_view>

#include "concurrent_load/load_task.h"

namespace collbench::concurrent_load {

/// Kinds of concurrent load (work that runs on purpose while a workload is measured) for host CPUs. Every
/// engine whose ranks compute on CPUs offers them. A new kind is a file in this folder and a row in kinds.cc.
std::span<const LoadKind> host_kinds() noexcept;

/// Creates the concurrent load "compute" of one rank: threads that multiply and add in registers, on the
/// rank's share of the cores. The requested amount is the number of threads.
std::vector<std::unique_ptr<LoadTask>> compute(const LoadContext& context);
/// Creates the concurrent load "copy" of one rank: threads that copy between two buffers of the size of
/// the largest cache. The requested amount is the number of threads.
std::vector<std::unique_ptr<LoadTask>> copy(const LoadContext& context);
/// Creates the concurrent load "traffic" of one rank: messages to the next rank, over a transport object of
/// its own. The requested amount is the number of connections.
std::vector<std::unique_ptr<LoadTask>> traffic(const LoadContext& context);

/// Returns the amount in the user's request, such as 2 in --beside compute:2; `usual` if it has none.
/// @throws Error(kInvalidArgument) if it is not from 1 to `most`; the text has `kind` and these limits
int amount_of(const LoadContext& context, std::string_view kind, int usual, int most);

}  // namespace collbench::concurrent_load
