// Table of the files with facts about a machine. A new fact in a file needs only a row here.
#include <sstream>

#include "metrics/control_groups.h"
#include "metrics/facts/facts.h"
#include "metrics/inventory.h"

namespace collbench::facts {
namespace {

constexpr const char* kText[] = {
    "/etc/os-release",
    "/proc/{cpuinfo,meminfo,stat,loadavg,uptime,modules}",
    "/proc/pressure/{cpu,memory,io}",
    "/proc/self/{limits,cgroup,status,uid_map}",
    "/proc/net/route",
    "/proc/driver/nvidia/version",
    "/proc/driver/nvidia/gpus/*/information",
    // Kernel settings.
    "/proc/sys/kernel/{hostname,osrelease,numa_balancing,nmi_watchdog,sched_rt_runtime_us,pid_max}",
    "/proc/sys/net/core/{rmem_max,wmem_max,rmem_default,wmem_default,somaxconn,netdev_max_backlog,busy_poll}",
    "/proc/sys/net/core/{busy_read,default_qdisc,optmem_max}",
    "/proc/sys/net/ipv4/{tcp_rmem,tcp_wmem,tcp_congestion_control,tcp_mtu_probing,tcp_window_scaling}",
    "/proc/sys/net/ipv4/{tcp_sack,tcp_timestamps,ip_local_port_range,tcp_max_syn_backlog}",
    "/proc/sys/vm/{swappiness,zone_reclaim_mode,overcommit_memory,max_map_count}",
    // CPU and memory.
    "/sys/devices/system/cpu/{online,present,isolated,nohz_full}",
    "/sys/devices/system/cpu/smt/{active,control}",
    "/sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id",
    "/sys/devices/system/cpu/cpufreq/boost",
    "/sys/devices/system/cpu/intel_pstate/{status,no_turbo}",
    "/sys/devices/system/cpu/cpufreq/policy*/"
    "{scaling_governor,scaling_driver,cpuinfo_max_freq,scaling_max_freq}",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/devices/system/node/online",
    "/sys/devices/system/node/node*/{cpulist,distance,meminfo}",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/mm/hugepages/hugepages-*/{nr_hugepages,free_hugepages}",
    // The machine, and the virtualisation around it.
    "/sys/class/dmi/id/{sys_vendor,product_name,board_name,bios_version,bios_date}",
    "/run/systemd/container",
    "/sys/module/"
    "{nvidia,nvidia_peermem,gdrdrv,amdgpu,mlx5_core,mlx5_ib,ib_core,ntb_hw_*,ntb_transport,dis_*}/"
    "version",
    "/sys/kernel/iommu_groups/*/type",
    // Networks.
    "/sys/class/net/*/{operstate,mtu,speed,duplex,carrier,type}",
    "/sys/class/net/*/device/{vendor,device,numa_node}",
    "/sys/class/net/*/bonding/slaves",
    "/sys/class/infiniband/*/{fw_ver,hca_type,board_id}",
    "/sys/class/infiniband/*/device/numa_node",
    "/sys/class/infiniband/*/ports/*/{state,phys_state,rate,link_layer}",
};

constexpr const char* kLinks[] = {
    "/sys/class/iommu/*",
    "/sys/class/net/*/device",
    "/sys/class/net/*/device/driver",
    "/sys/class/net/*/phy80211",
    "/sys/class/infiniband/*/device",
    "/sys/bus/ntb/devices/*",
    "/{.dockerenv,run/.containerenv}",
    // Device files, of which a container has only those that it was given.
    "/dev/nvidia[0-9]*",
    "/dev/infiniband/*",
};

/// Adds to `files` those words of the kernel command line that explain results. The others are left out,
/// because the line may contain secrets.
void add_kernel_words(const std::string& root, Files& files) {
  constexpr const char* kWords[] = {"intel_iommu",
                                    "amd_iommu",
                                    "iommu",
                                    "iommu.",
                                    "pci",
                                    "pcie_",
                                    "isolcpus",
                                    "nohz_full",
                                    "rcu_nocbs",
                                    "mitigations",
                                    "transparent_hugepage",
                                    "hugepages",
                                    "hugepagesz",
                                    "default_hugepagesz",
                                    "intel_pstate",
                                    "processor.",
                                    "intel_idle.",
                                    "idle",
                                    "numa_balancing",
                                    "nosmt",
                                    "tsc",
                                    "clocksource"};
  std::istringstream words(metrics::read_small_file(root + "/proc/cmdline"));
  std::string kept;
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    for (const std::string known : kWords)
      if (name == known || ((known.back() == '.' || known.back() == '_') && name.starts_with(known))) {
        kept += (kept.empty() ? "" : " ") + word;
        break;
      }
  }
  if (!words.str().empty()) files.text["/proc/cmdline"] = kept;
}

/// Adds to `files` the files with the CPU and memory limits of this process's control group and of all groups
/// above it, because the lowest limit applies.
void add_control_groups(const std::string& root, Files& files) {
  const metrics::Roots roots{root + "/proc", root + "/sys", ""};
  for (const auto& [controller, names] : {std::pair{"cpu", "/{cpu.max,cpu.cfs_quota_us,cpu.cfs_period_us}"},
                                          std::pair{"memory", "/{memory.max,memory.limit_in_bytes}"}})
    for (const std::string& group : metrics::control_groups(roots, controller))
      add_text(root, group.substr(root.size()) + names, files);
}

/// Adds the first line of /etc/hosts to `files` if this is a pod of Kubernetes. In this line the kubelet says
/// whether the pod uses the network of its machine. The further lines, with names of hosts, are left out.
void add_pod_mark(const std::string& root, Files& files) {
  std::istringstream hosts(metrics::read_small_file(root + "/etc/hosts"));
  std::string first;
  if (std::getline(hosts, first) && first.starts_with("# Kubernetes-managed hosts file"))
    files.text["/etc/hosts"] = first;
}

}  // namespace

void read_files(const std::string& root, Files& files) {
  for (const char* pattern : kText) add_text(root, pattern, files);
  for (const char* pattern : kLinks) add_link(root, pattern, files);
  add_kernel_words(root, files);
  add_control_groups(root, files);
  add_pod_mark(root, files);
}

MachineFacts read_facts(const FactsRequest& request) {
  MachineFacts facts;
  const std::string root = request.root == "/" ? "" : request.root;
  read_files(root, facts.files);
  read_pci(root, facts.files);
  facts.libraries = find_libraries(request);
  if (!root.empty()) return facts;
  facts.nvml = read_nvml("libnvidia-ml.so.1");
  facts.live = read_live(request.brief);
  return facts;
}

}  // namespace collbench::facts
