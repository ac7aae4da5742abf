#pragma once
// What the kernels offer, in the words of the command line and those of device/abi.h.
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "engines/nvshmem/device/abi.h"

namespace collbench::nvshmem {

/// In the order of CollbenchNvshmemAlgorithm.
inline constexpr std::string_view kAlgorithms[] = {"one-shot",          "two-shot", "ring",   "simple-ring",
                                                   "alternating-rings", "tree",     "direct", "nvshmem"};
inline constexpr int kAlgorithmCount = static_cast<int>(std::size(kAlgorithms));

/// NCCL's own, run by the engine nccl, so that both are in one run: free, its ring, its symmetric kernels.
inline constexpr std::string_view kNcclAlgorithms[] = {"nccl", "nccl-ring", "nccl-symmetric"};

std::optional<CollbenchNvshmemAlgorithm> find_algorithm(std::string_view name);

/// Those that a collective has, the one of all first that is taken where nothing is tuned.
std::vector<CollbenchNvshmemAlgorithm> algorithms_of(CollectiveKind kind);

std::vector<CollectiveKind> offered_kinds();
std::vector<std::string> offered_types();
std::vector<std::string> offered_ops();

/// All but algorithm, point and stream. @throws Error(kInvalidArgument) what is not offered
CollbenchNvshmemCall call_of(const Call& call);

}  // namespace collbench::nvshmem
