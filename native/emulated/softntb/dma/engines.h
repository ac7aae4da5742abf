#pragma once
// Number of engine threads that a process uses for its DMA transfers.
#include <optional>
#include <string>
#include <string_view>

#include "emulated/softntb/endpoints.h"

namespace collbench::softntb {

constexpr int kMaxEngines = 64;

/// Minimum size in bytes of a DMA transfer that separate threads copy. The polling thread copies a shorter
/// one itself, because handing it over takes as long as the copy.
constexpr std::size_t kEngineBytes = std::size_t{64} << 10;

/// Reads the value of SOFTNTB_ENGINES: number of threads per process that copy data of DMA transfers.
/// @returns the number, 0 to kMaxEngines; -1 for "", which means the default of engines_that_fit(); nullopt
/// for anything else, and `problem` then lists what is allowed
std::optional<int> parse_engines(std::string_view text, std::string* problem);

/// Returns the default number of threads per process that copy DMA data: half of the cores that ranks leave
/// free, divided by the number of processes. At most 4; 0 on a machine with 4 cores or fewer.
/// @param cores cores of the machine
/// @param users adapters (one per rank) and processes that use the emulated fabric now
int engines_that_fit(int cores, const FabricUsers& users) noexcept;

}  // namespace collbench::softntb
