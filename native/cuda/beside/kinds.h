#pragma once
// Loads that can run on a GPU beside an engine's operations. Each worker is a host thread with its own stream
// in the GPU's primary context; it keeps two pieces of work queued.
#include <span>

#include "concurrent_load/load_task.h"

namespace collbench::cuda {

std::span<const concurrent_load::LoadKind> beside_kinds() noexcept;

/// Multiplications and additions in registers. Amount: SMs, a block of 512 threads each; usually all.
std::vector<std::unique_ptr<concurrent_load::LoadTask>> beside_compute(
    const concurrent_load::LoadContext& context);
/// Copies between pinned host memory and the GPU. Amount: 1 = to the GPU, 2 = both ways, each on a copy
/// engine.
std::vector<std::unique_ptr<concurrent_load::LoadTask>> beside_copy(
    const concurrent_load::LoadContext& context);

/// Returns the amount of load in `context`, or `usual` if it has none. The amount must be 1 to `most`.
/// @throws Error(kInvalidArgument) with the kind and the allowed range
int beside_amount(const concurrent_load::LoadContext& context, std::string_view kind, int usual, int most);

/// GPU whose context is current in this thread, which is the rank's. @throws Error(kUnavailable) if there is
/// none
int current_gpu();

}  // namespace collbench::cuda
