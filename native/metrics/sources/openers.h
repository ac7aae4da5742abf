#pragma once
// One opener per file of this folder; see SourceEntry::open.
#include <memory>

#include "metrics/sources.h"

namespace collbench::metrics {

std::unique_ptr<Source> open_cpu(const SourceContext&);
std::unique_ptr<Source> open_memory(const SourceContext&);
std::unique_ptr<Source> open_pressure(const SourceContext&);
std::unique_ptr<Source> open_ranks(const SourceContext&);
std::unique_ptr<Source> open_net(const SourceContext&);

}  // namespace collbench::metrics
