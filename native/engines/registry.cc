#include "engines/cpu/engine.h"
#include "engines/engine.h"
#include "engines/nccl/engine.h"
#include "engines/nccl/probe.h"

namespace collbench {
namespace {

constexpr EngineEntry kEngines[] = {
    {"cpu", create_cpu_engine},
    {"nccl", create_nccl_engine, nccl::probe},
};

}  // namespace

const EngineEntry* find_engine(std::string_view name) {
  for (const EngineEntry& entry : kEngines)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace collbench
