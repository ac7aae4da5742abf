#include "metrics/sources.h"

#include <cstdio>
#include <cstring>

#include "metrics/sources/openers.h"

namespace collbench::metrics {
namespace {

constexpr std::int64_t kMs = 1'000'000;
// Periods below: /proc/stat counts in steps of 10 ms (USER_HZ); other values change slowly or are slow to
// read.

constexpr SourceEntry kSources[] = {
    {"cpu", "where the time of each core went, context switches, interrupts (/proc/stat)", &open_cpu,
     10 * kMs},
    {"load", "runnable and blocked tasks (/proc/loadavg)", &open_load, 1000 * kMs},
    {"memory", "memory, swap and huge pages (/proc/meminfo)", &open_memory, 100 * kMs},
    {"vmstat", "swapping, faults, migrated pages (/proc/vmstat)", &open_vmstat, 100 * kMs},
    {"pressure", "time in which tasks waited for cpu, io, memory (/proc/pressure)", &open_pressure,
     100 * kMs},
    {"quota", "time that quotas of control groups kept processes from running (cpu.stat)", &open_quota,
     100 * kMs},
    {"ranks", "CPU time and resident memory of the rank processes (/proc/PID)", &open_ranks},
    {"net", "bytes, packets, drops and errors of each interface (/proc/net/dev)", &open_net},
    {"tcp", "segments, retransmits, timeouts (/proc/net/snmp, netstat)", &open_tcp},
    {"rdma", "bytes and packets of each RDMA port (/sys/class/infiniband)", &open_rdma, 20 * kMs},
    {"rdmaFaults", "errors and congestion of each RDMA port", &open_rdma_faults, 1000 * kMs},
    {"ntb", "queue pairs of the kernel's NTB transport (debugfs)", &open_ntb, 20 * kMs},
    {"pcie", "link speed, width and AER errors of NICs, GPUs and NTBs (/sys/bus/pci)", &open_pcie,
     1000 * kMs},
    {"nvml", "NVIDIA GPUs: load, memory, power, clocks, throttling", &open_nvml, 20 * kMs},
    {"nvmlCounters", "NVIDIA GPUs: energy, bytes over NVLink and PCIe", &open_nvml_counters, 100 * kMs},
    {"nvmlFaults", "NVIDIA GPUs: ECC and NVLink errors", &open_nvml_faults, 1000 * kMs},
    {"amdgpu", "AMD GPUs: load, memory, power, temperature, clocks (/sys/class/drm)", &open_amdgpu, 20 * kMs},
};

}  // namespace

void Source::fail(const char* what, int error_number) noexcept {
  if (failed_.load(std::memory_order_relaxed)) return;
  if (error_number == 0)
    std::snprintf(reason_, sizeof reason_, "%s", what);
  else
    std::snprintf(reason_, sizeof reason_, "%s: %s", what, std::strerror(error_number));
  failed_.store(true, std::memory_order_release);
}

std::span<const SourceEntry> sources() { return kSources; }

}  // namespace collbench::metrics
