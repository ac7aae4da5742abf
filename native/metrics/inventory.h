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

/// Hardware, operating system and limits of this machine. Values that cannot be read are empty.
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

/// Reads hardware and limits of this machine. Takes some hundred microseconds. Values that cannot be read
/// stay empty.
Inventory read_inventory();

/// Returns the CPUs that a process may use, as a list in the kernel's form ("0-3,8"); "" = no such process.
std::string allowed_cpus(pid_t pid);
/// Returns the cores to which the listed CPUs belong, each named by its lowest hardware thread on the
/// machine: "0-3" for "0-3,8-11" if CPU 8 is the second thread of CPU 0, and so on.
std::string cores_among(const std::string& cpus, const CpuTopology& topology = cpu_topology());
/// Returns one CPU for each core: the lowest of the listed ones. "1,2" for "1-3" if CPUs 2 and 3 share a
/// core.
std::string one_cpu_per_core(const std::string& cpus, const CpuTopology& topology = cpu_topology());
/// Returns the NUMA memory policy that applies to new memory of a process: "bind:0". "" = none is set, or the
/// kernel does not report it.
std::string memory_policy(pid_t pid);

/// Returns the bytes received so far by each network interface of this process's network namespace, by name.
/// It is fast enough to be called before and after each block of measurements.
std::map<std::string, std::uint64_t> read_received_bytes();

/// Returns an id that is equal for all processes of this machine, in containers too, until it reboots; "" if
/// it cannot be read.
std::string read_boot_id();

/// Returns a text that is equal for processes that read the same CLOCK_MONOTONIC: on the same machine and in
/// the same time namespace.
std::string read_clock_id();

/// Returns a text that is equal for processes that have the same network interfaces: on the same machine and
/// in the same network namespace.
std::string read_network_id();

/// Returns the whole content of a small file in /proc or /sys; "" if it cannot be read.
std::string read_small_file(const std::string& path);

/// Counters of one network interface since the kernel created it (not: since the last reading).
struct InterfaceCounters {
  std::uint64_t received_bytes = 0, sent_bytes = 0;
  std::uint64_t troubled_packets = 0;  // errors and drops, both directions
};
/// Counters of all network interfaces of this network namespace at one moment; the key is the interface name,
/// such as "eth0".
using TrafficCounters = std::map<std::string, InterfaceCounters>;
/// Returns the counters in `text`, the content of /proc/net/dev. Other lines than those of interfaces are
/// skipped.
TrafficCounters parse_traffic(const std::string& text);
/// Returns the current counters; empty if /proc cannot be read. It is fast enough to be called before and
/// after each block of measurements.
TrafficCounters read_traffic();

}  // namespace collbench::metrics
