#pragma once
#include <memory>

#include "engines/engine.h"

namespace collbench {
/// The smallest engine: it has no memory, moves nothing and takes any transport's name. For tests, and for
/// workloads that need no engine.
std::unique_ptr<Engine> create_toy_engine(Bootstrap& bootstrap, const EngineOptions& options);
Abilities abilities_of_toy();
Availability probe_toy(const std::string& transport, const TransportOptions& options,
                       const Settings& settings);
}  // namespace collbench
