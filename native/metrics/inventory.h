#pragma once
// Hardware and limits of this machine. Stored with every run, because they may explain a difference between
// runs.
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cpu_topology.h"

namespace collbench::metrics {

struct InterfaceInfo {
  std::string name;
  std::string state;              // operstate: up, down, or unknown (lo)
  int mtu = 0;                    // bytes
  std::optional<int> speed_mbps;  // absent for virtual interfaces
};

struct NumaNode {
  int number = 0;
  std::string cpus;  // "0-15,32-47"; "" = a node with memory only
};

struct Inventory {
  std::string hostname, os, kernel, architecture, cpu_model;
  int cpu_count = 0;   // hardware threads online
  int core_count = 0;  // physical cores of these threads
  int numa_nodes = 1;
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> memory_limit;  // bytes that control groups allow; nullopt = no limit
  std::optional<std::string> virtualization;
  std::vector<InterfaceInfo> interfaces;  // sorted by name
  std::string cpus;                       // CPUs that this process may use: "0-3,8"
  std::string one_cpu_per_core;           // lowest-numbered CPU of each core in `cpus`
  std::vector<NumaNode> numa;             // sorted by number; empty if the kernel lists none
};

/// Reads the running machine; takes some hundred microseconds. Values that cannot be read stay empty.
Inventory read_inventory();

/// CPUs that a process may use, as a kernel list; "" = no such process.
std::string allowed_cpus(pid_t pid);
/// Cores of the listed CPUs, each named by its lowest hardware thread on the machine: "0-3" for "0-3,8-11".
std::string cores_among(const std::string& cpus, const CpuTopology& topology = cpu_topology());
/// Lowest of the listed CPUs of each core: "1,2" for "1-3" if CPUs 2 and 3 share a core.
std::string one_cpu_per_core(const std::string& cpus, const CpuTopology& topology = cpu_topology());
/// Memory policy that applies to new memory of a process ("bind:0"); "" = none is set, or the kernel does not
/// report it.
std::string memory_policy(pid_t pid);

/// Bytes received so far by each interface of this network namespace. Fast enough to call around each block.
std::map<std::string, std::uint64_t> read_received_bytes();

/// Equal for all processes, in containers too, until the machine reboots; "" if it cannot be read.
std::string read_boot_id();

/// Equal for processes that read the same CLOCK_MONOTONIC: same machine and time namespace.
std::string read_clock_id();

/// Equal for processes that have the same network interfaces: same machine and network namespace.
std::string read_network_id();

/// Whole content of a small file in /proc or /sys; "" if it cannot be read.
std::string read_small_file(const std::string& path);

}  // namespace collbench::metrics
