#include "engines/cpu/engine.h"
#include "engines/engine.h"
#include "engines/nccl/engine.h"
#include "engines/nccl/probe.h"
#include "engines/toy/engine.h"

namespace collbench {
namespace {

constexpr EngineEntry kEngines[] = {
    {"cpu", create_cpu_engine, abilities_of_cpu},
    {"nccl", create_nccl_engine, abilities_of_nccl, nccl::probe},
    {"toy", create_toy_engine, abilities_of_toy, probe_toy},
};

}  // namespace

std::span<const EngineEntry> engines() { return kEngines; }

}  // namespace collbench
