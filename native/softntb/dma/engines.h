#pragma once
// Number of engine threads that a process uses for its DMA transfers.
#include <optional>
#include <string>
#include <string_view>

#include "softntb/endpoints.h"

namespace collbench::softntb {

constexpr int kMaxEngines = 64;

/// Shorter transfers are moved by the polling thread, because handing them over takes as long as the copy.
constexpr std::size_t kEngineBytes = std::size_t{64} << 10;

/// Reads SOFTNTB_ENGINES: a number from 0 to kMaxEngines; -1 for "", which means engines_that_fit().
/// @returns nullopt for anything else; `problem` then lists what is allowed
std::optional<int> parse_engines(std::string_view text, std::string* problem);

/// Default number of engines per process: half of the cores that the fabric's polling ranks leave free,
/// divided among its processes. At most 4, and 0 on a machine with 4 cores or fewer.
int engines_that_fit(int cores, const FabricUsers& users) noexcept;

}  // namespace collbench::softntb
