#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>

#include "core/clock.h"
#include "core/error.h"
#include "metrics/inventory.h"
#include "metrics/parse.h"
#include "metrics/sampler.h"

using namespace collbench;
using namespace collbench::metrics;

namespace {

constexpr const char* kProcStat =
    "cpu  13709 0 10919 301157 2538 0 649 4904 0 0\n"
    "cpu0 5733 0 5038 153493 210 0 215 2235 0 0\n"
    "cpu1 7976 0 5881 147663 2327 0 434 2669 0 0\n"
    "intr 578395 0 0\nctxt 716082\nbtime 1795223772\n";

constexpr const char* kNetDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
    "carrier "
    "compressed\n"
    "    lo: 38073699592 1148506    0    0    0     0          0         0 38073699592 1148506    0    0    "
    "0     0     "
    "  0          0\n"
    "  eth0: 346108033    8144    1    2    0     0          0         0   474261    4641    3    4    0     "
    "0       0 "
    "         0\n"
    "eth0:1: 7 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0\n";

}  // namespace

TEST_CASE("/proc/stat gives ticks for all cores together and for each") {
  const auto cpus = parse_proc_stat(kProcStat);
  REQUIRE(cpus.size() == 3);
  CHECK(cpus[0].core == -1);
  CHECK(cpus[2].core == 1);
  CHECK(cpus[2].ticks[0] == 7976);
  CHECK(cpus[2].ticks[7] == 2669);
  CHECK(cpus[1].idle() == 153493 + 210);
  CHECK(cpus[1].total() == 5733 + 5038 + 153493 + 210 + 215 + 2235);
}

TEST_CASE("old kernels with fewer columns leave the rest zero") {
  const auto cpus = parse_proc_stat("cpu0 1 2 3 4\n");
  REQUIRE(cpus.size() == 1);
  CHECK(cpus[0].total() == 10);
  CHECK(cpus[0].ticks[7] == 0);
}

TEST_CASE("/proc/net/dev gives both directions and skips the heading") {
  const auto interfaces = parse_net_dev(kNetDev);
  REQUIRE(interfaces.size() == 3);
  CHECK(interfaces[0].name == "lo");
  CHECK(interfaces[0].rx_bytes == 38073699592ULL);
  CHECK(interfaces[1].tx_bytes == 474261);
  CHECK(interfaces[1].rx_errors == 1);
  CHECK(interfaces[1].tx_dropped == 4);
  CHECK(interfaces[2].name == "eth0:1");
}

TEST_CASE("meminfo counts KiB; a field that is not there is absent") {
  CHECK(parse_meminfo("MemTotal:       24684092 kB\nMemFree: 1 kB\n", "MemTotal") == 24684092ULL * 1024);
  CHECK_FALSE(parse_meminfo("MemTotal: 1 kB\n", "Mem").has_value());
  CHECK_FALSE(parse_meminfo("", "MemTotal").has_value());
}

TEST_CASE("pressure is the accumulated stall of 'some'") {
  CHECK(parse_pressure_some_us(
            "some avg10=0.68 avg60=1.21 avg300=1.85 total=20778762\nfull avg10=0.00 avg60=0.00 "
            "avg300=0.00 total=5\n") == 20778762ULL);
  CHECK_FALSE(parse_pressure_some_us("").has_value());
}

TEST_CASE("os-release values come without quotes") {
  const char* text = "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n";
  CHECK(parse_assignment(text, "PRETTY_NAME") == "Debian GNU/Linux 12 (bookworm)");
  CHECK(parse_assignment(text, "ID") == "debian");
  CHECK_FALSE(parse_assignment(text, "VERSION").has_value());
}

TEST_CASE("cpuinfo: model, count and guest flag") {
  const CpuInfo x86 = parse_cpuinfo(
      "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nflags\t\t: fpu hypervisor lm\n\nprocessor\t: 1\n"
      "model name\t: Some CPU @ 2.0GHz\n");
  CHECK(x86.model == "Some CPU @ 2.0GHz");
  CHECK(x86.logical_cpus == 2);
  CHECK(x86.hypervisor);
  const CpuInfo arm = parse_cpuinfo("processor\t: 0\nCPU part\t: 0xd40\n");
  CHECK(arm.model == "0xd40");
  CHECK_FALSE(arm.hypervisor);
}

TEST_CASE("kernel lists are counted") {
  CHECK(count_of_list("0-3,8\n") == 5);
  CHECK(count_of_list("0\n") == 1);
  CHECK(count_of_list("") == 0);
  CHECK(count_of_list("3-1") == 0);
  CHECK(count_of_list("x") == 0);
}

TEST_CASE("only a guest has a hypervisor's name") {
  CHECK(virtualization_of("QEMU", "Standard PC", true) == "QEMU/KVM");
  CHECK(virtualization_of("Microsoft Corporation", "Virtual Machine", true) == "Hyper-V");
  CHECK(virtualization_of("", "", true) == "virtual machine");
  CHECK_FALSE(virtualization_of("Amazon EC2", "c7i.metal", false).has_value());
}

TEST_CASE("the inventory of this machine has what every Linux machine has") {
  const Inventory inventory = read_inventory();
  char host[256] = {};
  REQUIRE(gethostname(host, sizeof host - 1) == 0);
  CHECK(inventory.hostname == host);
  CHECK(inventory.cpu_count == sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(inventory.memory_bytes > 1'000'000);
  CHECK(inventory.numa_nodes >= 1);
  const auto received = read_received_bytes();
  CHECK(received.size() == inventory.interfaces.size());
  for (const InterfaceInfo& interface : inventory.interfaces) CHECK(received.count(interface.name) == 1);
}

TEST_CASE("the sampler reads every source of the table with a monotonic stamp") {
  Sampler sampler;
  REQUIRE(!sampler.channels().empty());
  std::vector<double> first(sampler.channels().size()), second(first.size());
  const auto before = now_ns();
  const auto a = sampler.read(first.data());
  const auto b = sampler.read(second.data());
  CHECK(a.start_ns >= before);
  CHECK(b.start_ns >= a.start_ns + a.cost_ns);
  for (std::size_t i = 0; i < first.size(); ++i) {
    CAPTURE(sampler.channels()[i].name);
    if (sampler.channels()[i].cumulative && !std::isnan(first[i])) CHECK(second[i] >= first[i]);
  }
}

TEST_CASE("an unknown source is refused with the names that exist") {
  try {
    Sampler sampler({"cpu", "gpu"});
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInvalidArgument);
    CHECK(std::string(error.what()) == "metric source 'gpu' does not exist; there are: cpu, memory, network");
  }
}
