#pragma once
// How many engine threads a process has for its DMA transfers.
#include <optional>
#include <string>
#include <string_view>

#include "softntb/endpoints.h"

namespace collbench::softntb {

constexpr int kMostEngines = 64;

/// Shorter transfers are moved by the polling thread: handing them over would take as long as the copy.
constexpr std::size_t kEngineBytes = std::size_t{64} << 10;

/// SOFTNTB_ENGINES: a number from 0 to kMostEngines; -1 for "", which means engines_that_fit().
/// @returns nothing for anything else; `problem` then says what is allowed
std::optional<int> parse_engines(std::string_view text, std::string* problem);

/// Half of the cores that the fabric's polling ranks leave free, shared by its processes: at most 4 each,
/// none on a machine of 4 cores or less.
int engines_that_fit(int cores, const FabricUsers& users) noexcept;

}  // namespace collbench::softntb
