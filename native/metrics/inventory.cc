#include "metrics/inventory.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <sstream>

#include "metrics/control_groups.h"
#include "metrics/kernel_file.h"
#include "metrics/parse.h"

namespace collbench::metrics {
namespace {

constexpr const char* kNetDirectory = "/sys/class/net/";

InterfaceInfo describe_interface(const std::string& name) {
  const std::string folder = kNetDirectory + name + "/";
  InterfaceInfo info{name, first_line_of(folder + "operstate"),
                     std::atoi(first_line_of(folder + "mtu").c_str()), std::nullopt};
  // -1 or unreadable if the interface has no speed
  const int speed = std::atoi(first_line_of(folder + "speed").c_str());
  if (speed > 0) info.speed_mbps = speed;
  return info;
}

std::vector<NumaNode> numa_nodes() {
  const std::string folder = "/sys/devices/system/node/";
  std::vector<NumaNode> nodes;
  for (const int number : parse_list(first_line_of(folder + "online")).value_or(std::vector<int>{}))
    nodes.push_back({number, first_line_of(folder + "node" + std::to_string(number) + "/cpulist")});
  return nodes;
}

/// Returns the identity of this process's namespace of a kind ("time", "net"): "time:[4026531834]"; "" = the
/// kernel has no namespaces of that kind.
std::string namespace_of(const std::string& kind) {
  char space[64] = "";
  if (readlink(("/proc/self/ns/" + kind).c_str(), space, sizeof space - 1) < 0) space[0] = '\0';
  return space;
}

}  // namespace

std::string read_small_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::string text;
  char buffer[16384];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(fd);
  return text;
}

std::string read_boot_id() { return first_line_of("/proc/sys/kernel/random/boot_id"); }

std::string read_clock_id() { return read_boot_id() + " " + namespace_of("time"); }

std::string read_network_id() { return read_boot_id() + " " + namespace_of("net"); }

Inventory read_inventory() {
  Inventory inventory;
  utsname name{};
  uname(&name);
  inventory.hostname = name.nodename;
  inventory.kernel = name.release;
  inventory.architecture = name.machine;
  const std::string release = read_small_file("/etc/os-release");
  inventory.os = parse_assignment(release, "PRETTY_NAME").value_or(name.sysname);
  const CpuInfo cpu = parse_cpuinfo(read_small_file("/proc/cpuinfo"));
  inventory.cpu_model = cpu.model;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  inventory.cpu_count = online > 0 ? static_cast<int>(online) : cpu.logical_cpus;
  const cpu_set_t cores = cpu_topology().cores_among(cpu_topology().online());
  inventory.core_count = CPU_COUNT(&cores);
  inventory.memory_bytes = parse_meminfo(read_small_file("/proc/meminfo"), "MemTotal").value_or(0);
  inventory.memory_limit = memory_limit();
  inventory.virtualization = hypervisor_name(first_line_of("/sys/class/dmi/id/sys_vendor"),
                                             first_line_of("/sys/class/dmi/id/product_name"), cpu.hypervisor);
  for (const auto& [interface, counters] : read_traffic())
    inventory.interfaces.push_back(describe_interface(interface));
  inventory.cpus = allowed_cpus(getpid());
  inventory.one_cpu_per_core = one_cpu_per_core(inventory.cpus);
  inventory.numa = numa_nodes();
  inventory.numa_nodes = std::max(1, static_cast<int>(inventory.numa.size()));
  return inventory;
}

std::string allowed_cpus(pid_t pid) {
  constexpr std::string_view kField = "Cpus_allowed_list:";
  const std::string text = read_small_file("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = text.find(kField);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.find_first_not_of(" \t", at + kField.size());
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

std::string cores_among(const std::string& cpus, const CpuTopology& topology) {
  std::set<int> cores;
  for (const int cpu : parse_list(cpus).value_or(std::vector<int>{})) cores.insert(topology.core_of(cpu));
  return format_list({cores.begin(), cores.end()});
}

std::string one_cpu_per_core(const std::string& cpus, const CpuTopology& topology) {
  std::set<int> cores;
  std::vector<int> firsts;
  for (const int cpu : parse_list(cpus).value_or(std::vector<int>{}))
    if (cores.insert(topology.core_of(cpu)).second) firsts.push_back(cpu);
  return format_list(firsts);
}

std::string memory_policy(pid_t pid) {
  // Lines are "ADDRESS POLICY ..."; the process's policy is in every line, and the file may be long, so one
  // read suffices.
  const int fd = open(("/proc/" + std::to_string(pid) + "/numa_maps").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  char buffer[512];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  close(fd);
  const std::string_view text(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  const std::size_t begin = text.find(' ');
  if (begin == std::string_view::npos) return "";
  const std::string policy(text.substr(begin + 1, text.find_first_of(" \n", begin + 1) - begin - 1));
  return policy == "default" ? "" : policy;
}

std::map<std::string, std::uint64_t> read_received_bytes() {
  std::map<std::string, std::uint64_t> bytes;
  for (const auto& [name, counters] : read_traffic()) bytes[name] = counters.received_bytes;
  return bytes;
}

TrafficCounters parse_traffic(const std::string& text) {
  TrafficCounters counters;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.rfind(':');  // from the end, because an alias has a colon in its name
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(' ');
    // The numbers are received bytes, packets, errors, drops and four more; then the same for sent.
    std::istringstream numbers(line.substr(colon + 1));
    std::array<std::uint64_t, 12> all{};
    for (std::uint64_t& one : all) numbers >> one;
    if (!numbers) continue;
    counters[line.substr(begin, colon - begin)] = {all[0], all[8], all[2] + all[3] + all[10] + all[11]};
  }
  return counters;
}

TrafficCounters read_traffic() { return parse_traffic(read_small_file("/proc/net/dev")); }

}  // namespace collbench::metrics
