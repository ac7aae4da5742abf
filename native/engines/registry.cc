#include "engines/cpu/engine.h"
#include "engines/engine.h"
#include "engines/nccl/engine.h"
#include "engines/nccl/probe.h"

namespace collbench {
namespace {

constexpr EngineEntry kEngines[] = {
    {"cpu", create_cpu_engine, offers_of_cpu},
    {"nccl", create_nccl_engine, offers_of_nccl, nccl::probe},
};

}  // namespace

std::span<const EngineEntry> engines() { return kEngines; }

}  // namespace collbench
