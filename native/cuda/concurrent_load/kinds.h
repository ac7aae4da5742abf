#pragma once
// Loads that can run on a GPU beside an engine's operations. Each worker is a host thread with its own stream
// in the GPU's primary context; it keeps two pieces of work queued.
#include <span>

#include "concurrent_load/load_task.h"

namespace collbench::cuda {

std::span<const concurrent_load::LoadKind> load_kinds() noexcept;

/// Creates a load (computation during a measurement) that multiplies and adds in registers on the GPU. Its
/// amount of load is the number of SMs, each with a block of 512 threads; default: all.
std::vector<std::unique_ptr<concurrent_load::LoadTask>> compute_load(
    const concurrent_load::LoadContext& context);
/// Creates a load (traffic during a measurement) that copies between pinned host memory and the GPU. Amount
/// of load 1: to the GPU only (default); 2: in both directions, each by its own copy engine.
std::vector<std::unique_ptr<concurrent_load::LoadTask>> copy_load(
    const concurrent_load::LoadContext& context);

/// Returns the amount that the user requested for a load, or `usual` if none was requested.
/// @throws Error(kInvalidArgument) if it is not from 1 to `most`, naming the kind and the allowed amounts
int load_amount(const concurrent_load::LoadContext& context, std::string_view kind, int usual, int most);

/// Returns the number of the GPU whose context is current in the calling thread, which must be the rank's
/// thread.
/// @throws Error(kUnavailable) if no context is current, or the driver is missing or lacks cuCtxGetDevice
int current_gpu();

}  // namespace collbench::cuda
