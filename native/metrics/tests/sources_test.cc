// Each source against the trees in fixtures/ (README there: which files were recorded and which written by
// hand).
#include <doctest/doctest.h>
#include <unistd.h>

#include <set>

#include "metrics/control_groups.h"
#include "metrics/tests/readings.h"

using namespace collbench::metrics;

namespace {
const double kNsPerTick = 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

TEST_CASE("cpu: time of each core by kind, and what the kernel counted") {
  const Readings r = read_once(fixture("h200"), "cpu");
  CHECK(r.values.size() == 32 * 7 + 5);
  CHECK(r.at("cpu31.user") == (900000 + 31 * 1111 + 31) * kNsPerTick);  // nice counts as user time
  CHECK(r.at("cpu31.system") == (80000 + 31 * 37) * kNsPerTick);
  CHECK(r.at("cpu31.idle") == (70000000 + 31 * 5) * kNsPerTick);
  CHECK(r.at("cpu31.iowait") == 431 * kNsPerTick);
  CHECK(r.at("cpu31.irq") == 1 * kNsPerTick);
  CHECK(r.at("cpu31.softirq") == 1231 * kNsPerTick);
  CHECK(r.at("cpu31.steal") == 0);
  CHECK(r.at("cpu.contextSwitches") == 123456789012);
  CHECK(r.at("cpu.interrupts") == 99887766554);
  CHECK(r.at("cpu.forks") == 4455667);
  CHECK(r.at("cpu.running") == 9);
  CHECK(r.at("cpu.blocked") == 1);
}

TEST_CASE("cpu: a core that is offline leaves no gap in the others") {
  const Readings r = read_once(fixture("mlx5"), "cpu");
  CHECK(r.values.count("cpu2.user") == 0);
  CHECK(r.at("cpu3.steal") == 1 * kNsPerTick);
  CHECK(r.at("cpu.contextSwitches") == 77);
}

TEST_CASE("load") {
  const Readings r = read_once(fixture("h200"), "load");
  CHECK(r.at("cpu.load1") == 8.42);
  CHECK(r.at("cpu.load5") == 7.90);
  CHECK(r.at("cpu.load15") == 5.01);
}

TEST_CASE("memory in bytes, huge pages in pages") {
  const Readings r = read_once(fixture("h200"), "memory");
  CHECK(r.at("memory.total") == 2113513916.0 * 1024);
  CHECK(r.at("memory.available") == 2056640360.0 * 1024);
  CHECK(r.at("memory.locked") == 1048576.0 * 1024);
  CHECK(r.at("memory.hugePagesFree") == 4000);
  CHECK(read_once(fixture("mlx5"), "memory").at("memory.swapFree") == 8388092.0 * 1024);
}

TEST_CASE("vmstat: swap and migrations; fields that a kernel has not have no channel") {
  const Readings h200 = read_once(fixture("h200"), "vmstat");
  CHECK(h200.at("vmstat.numaMiss") == 1201);
  CHECK(h200.at("vmstat.pgmigrateSuccess") == 8192);
  const Readings mlx5 = read_once(fixture("mlx5"), "vmstat");
  CHECK(mlx5.at("vmstat.pswpout") == 128);
  CHECK(mlx5.values.count("vmstat.numaMiss") == 0);
}

TEST_CASE("pressure: totals of some and full; interrupts have only full") {
  const Readings r = read_once(fixture("h200"), "pressure");
  CHECK(r.at("pressure.ioSome") == 998877);
  CHECK(r.at("pressure.ioFull") == 887766);
  CHECK(r.at("pressure.memoryFull") == 12);
  CHECK(r.at("pressure.irqFull") == 66554);
  CHECK(std::isnan(r.at("pressure.irqSome")));
  CHECK(read_once(fixture("mlx5"), "pressure").absent.at("pressure").find("CONFIG_PSI") != std::string::npos);
}

TEST_CASE(
    "control groups: ours and those above; the least of their memory limits; processes killed for want of "
    "memory") {
  const std::string top = fixture("laptop").sys + "/fs/cgroup";
  CHECK(control_groups(fixture("laptop"), "cpu") ==
        std::vector<std::string>{top + "/cpu,cpuacct/kubepods/pod7/c1", top + "/cpu,cpuacct/kubepods/pod7",
                                 top + "/cpu,cpuacct/kubepods", top + "/cpu,cpuacct", top, top + "/unified"});
  CHECK(control_groups(fixture("laptop"), "cpuset").front() == top + "/cpuset");
  CHECK(memory_limit(fixture("laptop")) == 629145600);  // limit of the pod; its container has none
  CHECK(memory_limit(fixture("h200")) == 68719476736);
  CHECK(!memory_limit(fixture("mlx5")));
  CHECK(out_of_memory_kills(fixture("laptop")) == 0);
  CHECK(!out_of_memory_kills(fixture("mlx5")));
}

TEST_CASE("quota: what all control groups above us held back, those without a quota left out") {
  // Version 1: 1,936,055,914 ns in /kubepods/pod7/c1 and 64,000,000 in /kubepods/pod7; /kubepods has none.
  CHECK(read_once(fixture("laptop"), "quota").at("cgroup.throttled") == 2000055914);
  // Version 2: a container that sees its own group as the top.
  CHECK(read_once(fixture("h200"), "quota").at("cgroup.throttled") == 123456e3);
  const Readings none = read_once(fixture("mlx5"), "quota");
  CHECK(none.absent.at("quota").find("no control group of ours has a quota") != std::string::npos);
}

TEST_CASE("net: each interface in both directions, aliases too") {
  const Readings r = read_once(fixture("laptop"), "net");
  CHECK(r.values.size() == 3 * 8);
  CHECK(r.at("net.lo.rxBytes") == 38073699592);
  CHECK(r.at("net.wlp2s0.rxErrors") == 1);
  CHECK(r.at("net.wlp2s0.rxDrops") == 2);
  CHECK(r.at("net.wlp2s0.txBytes") == 474261);
  CHECK(r.at("net.wlp2s0.txPackets") == 4641);
  CHECK(r.at("net.wlp2s0.txErrors") == 3);
  CHECK(r.at("net.wlp2s0.txDrops") == 4);
  CHECK(r.at("net.eth0:1.txBytes") == 8);
  CHECK(read_once(fixture("mlx5"), "net").at("net.ens1f0.rxBytes") == 18446744073709551615.0);
}

TEST_CASE("tcp: fields are found by their names, not by their places") {
  const Readings r = read_once(fixture("h200"), "tcp");
  CHECK(r.at("tcp.inSegs") == 99887766);
  CHECK(r.at("tcp.retransSegs") == 1234);
  CHECK(r.at("tcp.outRsts") == 678);
  CHECK(r.at("tcp.lostRetransmits") == 7);
  CHECK(r.at("tcp.timeouts") == 31);
  CHECK(r.at("tcp.synRetransmits") == 6);
  const Readings mlx5 = read_once(fixture("mlx5"), "tcp");
  CHECK(mlx5.at("tcp.timeouts") == 2);
  CHECK(std::isnan(mlx5.at("tcp.lostRetransmits")));
}

TEST_CASE("rdma: data counters are words of 4 bytes; each port of each device") {
  const Readings r = read_once(fixture("mlx5"), "rdma");
  CHECK(r.values.size() == 4 * 5);
  CHECK(r.at("rdma.mlx5_0:1.txBytes") == 1e9);
  CHECK(r.at("rdma.mlx5_0:1.rxBytes") == 5e8);
  CHECK(r.at("rdma.mlx5_1:1.txBytes") == 4e12);
  CHECK(r.at("rdma.mlx4_0:2.rxPackets") == 1050000);
  const Readings faults = read_once(fixture("mlx5"), "rdmaFaults");
  CHECK(faults.at("rdma.mlx5_0:1.outOfSequence") == 11);
  CHECK(faults.at("rdma.mlx5_0:1.cnpHandled") == 901);
  CHECK(faults.at("rdma.mlx4_0:1.linkDowned") == 1);
  CHECK(faults.values.count("rdma.mlx4_0:1.cnpSent") == 0);
  CHECK(read_once(fixture("laptop"), "rdma").absent.at("rdma").find("no RDMA adapter") != std::string::npos);
}

TEST_CASE("ntb: queue pairs of the kernel's transport") {
  const Readings r = read_once(fixture("mlx5"), "ntb");
  CHECK(r.at("ntb.0000:83:00.0:qp0.rxBytes") == 66554433);
  CHECK(r.at("ntb.0000:83:00.0:qp0.txPackets") == 2048);
  CHECK(r.at("ntb.0000:83:00.0:qp0.rxOverflows") == 1);
  CHECK(read_once(fixture("h200"), "ntb").absent.count("ntb") == 1);
}

TEST_CASE("pcie: links of NICs, GPUs and NTBs, and only of those; AER totals") {
  const Readings laptop = read_once(fixture("laptop"), "pcie");
  CHECK(laptop.at("pci.0000:02:00.0.linkSpeedMTps") == 2500);
  CHECK(laptop.at("pci.0000:02:00.0.maxLinkSpeedMTps") == 8000);
  CHECK(laptop.at("pci.0000:02:00.0.aerCorrectable") == 3);
  CHECK(laptop.at("pci.0000:03:00.0.linkWidth") == 8);
  CHECK(laptop.at("pci.0000:03:00.0.maxLinkWidth") == 16);
  CHECK(laptop.values.size() == 2 * 7);  // the bridge and the disk have no channels
  const Readings h200 = read_once(fixture("h200"), "pcie");
  CHECK(h200.at("pci.0000:4c:00.0.linkWidth") == 8);
  CHECK(h200.at("pci.0000:1a:00.0.aerNonfatal") == 1);
  CHECK(h200.at("pci.0000:07:00.0.linkSpeedMTps") == 16000);  // the NVSwitch
  CHECK(h200.values.size() == 6 * 7);                         // the virtual function has no link
  CHECK(read_once(fixture("mlx5"), "pcie").at("pci.0000:82:00.0.linkWidth") == 16);
}

TEST_CASE("amdgpu: readings of the driver in our units") {
  const Readings r = read_once(fixture("laptop"), "amdgpu");
  CHECK(r.at("amdgpu0.utilizationPercent") == 37);
  CHECK(r.at("amdgpu0.memoryUsedBytes") == 1297219584);
  CHECK(r.at("amdgpu0.powerMilliwatt") == doctest::Approx(14000));
  CHECK(r.at("amdgpu0.temperatureCelsius") == doctest::Approx(61));
  CHECK(r.at("amdgpu0.smClockMHz") == doctest::Approx(1330));
  CHECK(r.at("amdgpu0.memoryClockMHz") == doctest::Approx(800));
}

TEST_CASE("a recorded machine with two H200: what its kernel says is what is read") {
  const Roots recorded = fixture("h200-recorded");
  const Readings cpu = read_once(recorded, "cpu");
  CHECK(cpu.values.size() == 32 * 7 + 5);
  CHECK(cpu.at("cpu0.idle") == 2716 * kNsPerTick);
  CHECK(cpu.at("cpu0.steal") == 2 * kNsPerTick);
  CHECK(read_once(recorded, "memory").at("memory.total") == 263998500.0 * 1024);
  CHECK(read_once(recorded, "load").at("cpu.load1") == 0);
  CHECK(read_once(recorded, "pressure").at("pressure.cpuSome") == 863334);
  const Readings net = read_once(recorded, "net");
  CHECK(net.values.size() == 4 * 8);
  CHECK(net.at("net.eth0.txBytes") == 1473);
  CHECK(net.at("net.lo.rxPackets") == 69);
  CHECK(read_once(recorded, "tcp").at("tcp.inSegs") == 30);
  const Readings pcie = read_once(recorded, "pcie");
  CHECK(pcie.at("pci.0000:00:06.0.linkSpeedMTps") == 32000);
  CHECK(pcie.at("pci.0000:00:07.0.linkWidth") == 16);
  CHECK(read_once(recorded, "rdma").values.empty());
}

TEST_CASE("every source of the table: distinct channels, or a reason; here and in every tree") {
  for (const std::string tree : {"laptop", "h200", "h200-recorded", "mlx5", "nowhere", ""}) {
    const Roots roots = tree.empty() ? Roots{} : fixture(tree);
    std::set<std::string> names;
    for (const SourceEntry& entry : sources()) {
      CAPTURE(tree);
      CAPTURE(entry.name);
      const Readings r = read_once(roots, std::string(entry.name));
      CHECK(r.values.empty() == (r.absent.size() == 1));
      for (const auto& [source, reason] : r.absent) CHECK(reason.size() > 10);
      for (const auto& [name, value] : r.values) {
        CAPTURE(name);
        CHECK(name.find('.') != std::string::npos);
        CHECK(names.insert(name).second);
        CHECK((std::isnan(value) || value >= 0));
      }
    }
    CHECK(names.empty() == (tree == "nowhere"));
  }
}
