#pragma once
// One opener per file in this folder; see SourceEntry::open.
#include <memory>

#include "metrics/sources.h"

namespace collbench::metrics {

std::unique_ptr<Source> open_cpu(const SourceContext&);
std::unique_ptr<Source> open_memory(const SourceContext&);
std::unique_ptr<Source> open_pressure(const SourceContext&);
std::unique_ptr<Source> open_quota(const SourceContext&);
std::unique_ptr<Source> open_ranks(const SourceContext&);
std::unique_ptr<Source> open_net(const SourceContext&);
std::unique_ptr<Source> open_load(const SourceContext&);
std::unique_ptr<Source> open_vmstat(const SourceContext&);
std::unique_ptr<Source> open_tcp(const SourceContext&);
std::unique_ptr<Source> open_rdma(const SourceContext&);
std::unique_ptr<Source> open_rdma_faults(const SourceContext&);
std::unique_ptr<Source> open_ntb(const SourceContext&);
std::unique_ptr<Source> open_pcie(const SourceContext&);
std::unique_ptr<Source> open_nvml(const SourceContext&);
std::unique_ptr<Source> open_nvml_counters(const SourceContext&);
std::unique_ptr<Source> open_nvml_faults(const SourceContext&);
std::unique_ptr<Source> open_amdgpu(const SourceContext&);

}  // namespace collbench::metrics
