#pragma once
// What this machine is: kept with every run, because it may explain a difference (design.md 6.9).
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
  std::string state;              // operstate: up, down, unknown (lo)
  int mtu = 0;                    // bytes
  std::optional<int> speed_mbps;  // virtual interfaces have none
};

struct NumaNode {
  int number = 0;
  std::string cpus;  // "0-15,32-47"; "" = memory alone
};

struct Inventory {
  std::string hostname, os, kernel, architecture, cpu_model;
  int cpu_count = 0;   // hardware threads that are online
  int core_count = 0;  // cores that they belong to
  int numa_nodes = 1;
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> memory_limit;  // bytes that control groups leave us; nullopt = no limit
  std::optional<std::string> virtualization;
  std::vector<InterfaceInfo> interfaces;  // by name
  std::string cpus;                       // those that this process may use: "0-3,8"
  std::string one_cpu_per_core;           // of these one for each core, the lowest
  std::vector<NumaNode> numa;             // by number; empty where the kernel tells of none
};

/// Reads the running machine; takes some hundred microseconds. What cannot be read stays empty.
Inventory read_inventory();

/// CPUs that a process may use, as the kernel lists them; "" = no such process.
std::string allowed_cpus(pid_t pid);
/// The cores that the listed CPUs belong to, each by its lowest hardware thread: "0-3" of "0-3,8-11".
std::string cores_among(const std::string& cpus, const CpuTopology& topology = cpu_topology());
/// Names the lowest CPU of each core among the listed ones: "1,2" of "1-3" where 2 and 3 are one core.
std::string one_cpu_per_core(const std::string& cpus, const CpuTopology& topology = cpu_topology());
/// What rules over new memory of a process ("bind:0"); "" = nothing was set, or the kernel does not tell.
std::string memory_policy(pid_t pid);

/// Bytes that every interface of this network namespace has received until now. Cheap enough to be read
/// around each block.
std::map<std::string, std::uint64_t> read_received_bytes();

/// Equal for all processes between two starts of the machine, in containers, too; "" when it cannot be read.
std::string read_boot_id();

/// Equal for all processes that read the same CLOCK_MONOTONIC: of one machine, in one time namespace.
std::string read_clock_id();

/// Equal for all processes that have the same network interfaces: of one machine, in one network namespace.
std::string read_network_id();

/// Whole content of a small file of /proc or /sys, "" when it cannot be read.
std::string read_small_file(const std::string& path);

}  // namespace collbench::metrics
