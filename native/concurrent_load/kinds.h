#pragma once
#include <span>
#include <string_view>

#include "concurrent_load/load_task.h"

namespace collbench::concurrent_load {

/// Kinds of concurrent load (work that runs on purpose while a workload is measured) for host CPUs. Every
/// engine whose ranks compute on CPUs offers them. A new kind is a file in this folder and a row in kinds.cc.
std::span<const LoadKind> host_kinds() noexcept;

/// Creates the concurrent load "compute" of one rank: one task per thread, which multiplies and adds in
/// registers. The requested amount is the number of threads, at most and usually one for each core of the
/// rank's share.
/// @throws Error(kInvalidArgument) for another amount
std::vector<std::unique_ptr<LoadTask>> compute(const LoadContext& context);
/// Creates the concurrent load "copy" of one rank: one task per thread, which copies between two buffers of
/// about the size of the largest cache. The requested amount is the number of threads: usually 1, at most one
/// for each core of the rank's share.
/// @throws Error(kInvalidArgument) for another amount; Error(kInternal) without enough memory
std::vector<std::unique_ptr<LoadTask>> copy(const LoadContext& context);
/// Creates the concurrent load "traffic" of one rank: messages of 256 KiB to the next rank and from the
/// previous one. The requested amount is the number of connections, from 1 (usual) to 8. Each has a task and
/// a transport object of its own. All ranks must call it together.
/// @throws Error(kInvalidArgument) for another amount or a single rank; errors of the transport
std::vector<std::unique_ptr<LoadTask>> traffic(const LoadContext& context);

/// Returns the amount in the user's request, such as 2 in --beside compute:2; `usual` if it has none.
/// @throws Error(kInvalidArgument) if it is not from 1 to `most`; the text has `kind` and these limits
int amount_of(const LoadContext& context, std::string_view kind, int usual, int most);

}  // namespace collbench::concurrent_load
