#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "core/clock.h"
#include "core/error.h"
#include "core/tests/machines.h"
#include "metrics/inventory.h"
#include "metrics/parse.h"
#include "metrics/sampler.h"

using namespace collbench;
using namespace collbench::metrics;

TEST_CASE("meminfo counts KiB; a field that is not there is absent") {
  CHECK(parse_meminfo("MemTotal:       24684092 kB\nMemFree: 1 kB\n", "MemTotal") == 24684092ULL * 1024);
  CHECK_FALSE(parse_meminfo("MemTotal: 1 kB\n", "Mem").has_value());
  CHECK_FALSE(parse_meminfo("", "MemTotal").has_value());
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

TEST_CASE("kernel lists are read and written") {
  CHECK(parse_list("8,0-3\n") == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(parse_list("") == std::vector<int>{});
  for (const char* wrong : {"3-1", "x", "1,", "1;2", "-1", "70000", "0-99999999999"})
    CHECK_FALSE(parse_list(wrong).has_value());
  CHECK(format_list({0, 1, 2, 3, 8, 10, 11}) == "0-3,8,10-11");
  CHECK(format_list({}).empty());
}

TEST_CASE("only a guest has a hypervisor's name") {
  CHECK(hypervisor_name("QEMU", "Standard PC", true) == "QEMU/KVM");
  CHECK(hypervisor_name("Microsoft Corporation", "Virtual Machine", true) == "Hyper-V");
  CHECK(hypervisor_name("", "", true) == "virtual machine");
  CHECK_FALSE(hypervisor_name("Amazon EC2", "c7i.metal", false).has_value());
}

TEST_CASE("cores are listed by their lowest hardware thread, and CPUs to bind to one for each core") {
  const collbench::testing::DrawnMachine adjacent(collbench::testing::adjacent_siblings());
  CHECK(cores_among("0-7", adjacent.topology()) == "0,2,4,6");
  CHECK(cores_among("1,3", adjacent.topology()) == "0,2");
  CHECK(cores_among("", adjacent.topology()).empty());
  CHECK(one_cpu_per_core("0-7", adjacent.topology()) == "0,2,4,6");
  CHECK(one_cpu_per_core("1-3", adjacent.topology()) == "1-2");
  const collbench::testing::DrawnMachine halves(collbench::testing::siblings_in_halves());
  CHECK(cores_among("4-7", halves.topology()) == "0-3");
  CHECK(one_cpu_per_core("2-7", halves.topology()) == "2-5");
  CHECK(cores_among("60000", halves.topology()) == "60000");
}

TEST_CASE("the inventory of this machine has what every Linux machine has") {
  const Inventory inventory = read_inventory();
  char host[256] = {};
  REQUIRE(gethostname(host, sizeof host - 1) == 0);
  CHECK(inventory.hostname == host);
  CHECK(inventory.cpu_count == sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(inventory.core_count >= 1);
  CHECK(inventory.core_count <= inventory.cpu_count);
  CHECK(inventory.memory_bytes > 1'000'000);
  CHECK(inventory.numa_nodes >= 1);
  const auto received = read_received_bytes();
  CHECK(received.size() == inventory.interfaces.size());
  for (const InterfaceInfo& interface : inventory.interfaces) CHECK(received.count(interface.name) == 1);
}

TEST_CASE("interfaces are those of this network namespace, whichever /sys shows") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) _exit(77);
    // A new namespace has lo, which is down, and on some kernels tunnel stubs; none has received anything.
    std::uint64_t received = 0;
    const auto bytes = read_received_bytes();
    for (const auto& [name, count] : bytes) received += count;
    _exit(bytes.contains("lo") && !bytes.contains("eth0") && received == 0 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) {
    MESSAGE("skipped: this user may not make network namespaces");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
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

TEST_CASE("an unknown source is told of with the names that exist; the rest go on") {
  SamplerOptions options;
  options.names = {"cpu", "quantum"};
  const Sampler sampler(options);
  CHECK(sampler.channels().size() > 0);
  REQUIRE(sampler.absent().size() == 1);
  CHECK(sampler.absent()[0].source == "quantum");
  CHECK(sampler.absent()[0].reason == "there is no such source; there are: " + source_names());
}

TEST_CASE("a source that costs much is read seldom, but once a second at least; without an interval always") {
  for (const std::int64_t interval : {std::int64_t{1'000'000}, std::int64_t{200'000'000}, std::int64_t{0}}) {
    SamplerOptions options;
    options.interval_ns = interval;
    const Sampler sampler(options);
    for (const MetricChannel& channel : sampler.channels()) {
      CAPTURE(channel.name);
      CHECK(channel.every_ticks >= 1);
      if (interval > 0) CHECK(channel.every_ticks * interval < 1'000'000'000 + interval);
      if (interval == 0) CHECK(channel.every_ticks == 1);
    }
  }
}
