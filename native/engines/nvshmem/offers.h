#pragma once
// Collectives, types and algorithms that the kernels support, with the names of the command line and of
// device/abi.h.
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "engines/nvshmem/device/abi.h"

namespace collbench::nvshmem {

/// Names of the nvshmem engine's algorithms for users (--algo), in the order of CollbenchNvshmemAlgorithm.
inline constexpr std::string_view kAlgorithms[] = {"one-shot",          "two-shot", "ring",   "simple-ring",
                                                   "alternating-rings", "tree",     "direct", "nvshmem"};
inline constexpr int kAlgorithmCount = static_cast<int>(std::size(kAlgorithms));

/// Further values of --algo that NCCL executes (by the nccl engine) in the same run, for comparison: NCCL's
/// own choice, its ring, its symmetric kernels.
inline constexpr std::string_view kNcclAlgorithms[] = {"nccl", "nccl-ring", "nccl-symmetric"};

std::optional<CollbenchNvshmemAlgorithm> find_algorithm(std::string_view name);

/// Returns the algorithms that support a collective.
/// @param kind one of offered_kinds(); for other kinds the result has no meaning
std::vector<CollbenchNvshmemAlgorithm> algorithms_of(CollectiveKind kind);

std::vector<CollectiveKind> offered_kinds();
std::vector<std::string> offered_types();
std::vector<std::string> offered_ops();

/// Converts a collective call to the struct that the kernels take. The caller sets algorithm, launch shape
/// and stream in it.
/// @throws Error(kInvalidArgument) if the kernels do not support the collective, type or reduction
CollbenchNvshmemCall call_of(const CollectiveCall& call);

}  // namespace collbench::nvshmem
