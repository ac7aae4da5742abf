#include "engines/cpu/engine.h"
#include "engines/engine.h"

namespace collbench {
namespace {

constexpr EngineEntry kEngines[] = {
    {"cpu", create_cpu_engine},
};

}  // namespace

const EngineEntry* find_engine(std::string_view name) {
  for (const EngineEntry& entry : kEngines)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace collbench
