#include "metrics/facts/facts.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/sha256.h"
#include "metrics/facts/elf.h"
#include "metrics/facts/environment.h"

using namespace collbench;
using namespace collbench::facts;
namespace fs = std::filesystem;

namespace {

/// A temporary folder tree.
class Tree {
 public:
  Tree() {
    char name[] = "/tmp/collbench-facts-XXXXXX";
    root_ = mkdtemp(name);
  }
  ~Tree() { fs::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  void file(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void link(const std::string& path, const std::string& target) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    fs::create_symlink(target, root_ + path);
  }
  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] MachineFacts facts() const { return read_facts({root_, {}, false, false}); }

 private:
  std::string root_;
};

std::string hex(const Sha256::Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256_of(const std::string& text, std::size_t piece) {
  Sha256 hash;
  const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t at = 0; at < text.size(); at += piece)
    hash.update({data + at, std::min(piece, text.size() - at)});
  return hex(hash.finish());
}

}  // namespace

TEST_CASE("files are told by their path on the machine, whatever root they were read below") {
  const Tree tree;
  tree.file("/proc/meminfo", "MemTotal: 1 kB\n");
  tree.file("/sys/class/net/eth0/mtu", "9000\n");
  tree.link("/sys/class/net/eth0/device", "../../../devices/pci0000:00/0000:00:01.0");
  tree.file("/sys/devices/pci0000:00/0000:00:01.0/vendor", "0x15b3\n");
  const MachineFacts facts = tree.facts();
  CHECK(facts.files.text.at("/proc/meminfo") == "MemTotal: 1 kB\n");
  CHECK(facts.files.text.at("/sys/class/net/eth0/mtu") == "9000\n");
  CHECK(facts.files.text.at("/sys/class/net/eth0/device/vendor") == "0x15b3\n");
  CHECK(facts.files.links.at("/sys/class/net/eth0/device") == "/sys/devices/pci0000:00/0000:00:01.0");
  CHECK_FALSE(facts.live.has_value());
  CHECK_FALSE(facts.nvml.has_value());
}

TEST_CASE("of the kernel's command line only words that explain figures are kept") {
  const Tree tree;
  tree.file("/proc/cmdline",
            "root=/dev/sda1 password=x intel_iommu=on iommu=pt pcie_aspm=off isolcpus=2-3 quiet\n");
  CHECK(tree.facts().files.text.at("/proc/cmdline") == "intel_iommu=on iommu=pt pcie_aspm=off isolcpus=2-3");
}

TEST_CASE("of the environment named families leave the machine, and nothing that looks like a secret") {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"NCCL_TEST_PLAIN", "7"},
                                                                      {"NCCL_TEST_KEY", "7"},
                                                                      {"NCCL_TEST_VALUE", "sk-7"},
                                                                      {"OMPI_MCA_orte_test", "7"},
                                                                      {"OMPI_MCA_btl_test", "7"},
                                                                      {"TEST_OTHER", "7"}})
    setenv(name.c_str(), value.c_str(), 1);
  const auto environment = read_live(true).environment;
  CHECK(environment.at("NCCL_TEST_PLAIN") == "7");
  CHECK(environment.at("OMPI_MCA_btl_test") == "7");
  for (const char* name : {"NCCL_TEST_KEY", "NCCL_TEST_VALUE", "OMPI_MCA_orte_test", "TEST_OTHER"})
    CHECK(environment.count(name) == 0);
}

TEST_CASE("a value of any length is looked at") {
  CHECK(is_recorded("NCCL_X", std::string(1 << 20, ' ')));
  CHECK(is_recorded("NCCL_X", std::string(1 << 20, 'x')));
  CHECK_FALSE(is_recorded("NCCL_X", std::string(1 << 20, '7')));
}

TEST_CASE("PCI: devices that carry data and the bridges above them, no others; config in hex") {
  const Tree tree;
  const std::string bridge = "/sys/devices/pci0000:00/0000:00:01.0", nic = bridge + "/0000:01:00.0",
                    disk = "/sys/devices/pci0000:00/0000:00:02.0";
  for (const auto& [place, code] : {std::pair{bridge, "0x060400"}, {nic, "0x020000"}, {disk, "0x010802"}}) {
    tree.file(place + "/class", std::string(code) + "\n");
    tree.file(place + "/config", std::string("\x86\x80", 2));
    tree.link("/sys/bus/pci/devices/" + place.substr(place.rfind('/') + 1), tree.root() + place);
  }
  const MachineFacts facts = tree.facts();
  CHECK(facts.files.text.at("/sys/bus/pci/devices/0000:01:00.0/config") == "8680");
  CHECK(facts.files.text.count("/sys/bus/pci/devices/0000:00:01.0/class") == 1);
  CHECK(facts.files.text.count("/sys/bus/pci/devices/0000:00:02.0/class") == 0);
  CHECK(facts.files.links.at("/sys/bus/pci/devices/0000:01:00.0") == nic);
}

TEST_CASE("control groups: limits of ours and of all above; a path that leaves the tree is not followed") {
  const Tree tree;
  tree.file("/proc/self/cgroup", "1:cpu:/a\n0::/job/step\n");
  tree.file("/sys/fs/cgroup/job/cpu.max", "200000 100000\n");
  tree.file("/sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  tree.file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n");
  const MachineFacts facts = tree.facts();
  CHECK(facts.files.text.at("/sys/fs/cgroup/job/cpu.max") == "200000 100000\n");
  CHECK(facts.files.text.count("/sys/fs/cgroup/job/step/cpu.max") == 1);
  CHECK(facts.files.text.count("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us") == 1);
  tree.file("/proc/self/cgroup", "0::/../../etc\n");
  CHECK(tree.facts().files.text.count("/sys/fs/cgroup/../../etc/cpu.max") == 0);
}

TEST_CASE("a long file is cut and named") {
  const Tree tree;
  tree.file("/proc/cpuinfo", std::string(kMaxFileBytes + 1, 'x'));
  const MachineFacts facts = tree.facts();
  CHECK(facts.files.text.at("/proc/cpuinfo").size() == kMaxFileBytes);
  CHECK(facts.files.cut == std::vector<std::string>{"/proc/cpuinfo"});
}

TEST_CASE("libraries: found where the loader looks, by their real file; what is none says why") {
  const Tree tree;
  tree.file("/etc/ld.so.conf.d/x.conf", "/opt/net\n");
  tree.file("/opt/net/libnccl-net-x.so", "no library");
  tree.file("/usr/lib/libnccl.so.2.28.9", "");
  tree.link("/usr/lib/libnccl.so.2", "libnccl.so.2.28.9");
  const std::vector<LibraryFacts> libraries = find_libraries({tree.root(), {}, true, false});
  REQUIRE(libraries.size() == 2);
  CHECK(libraries[0].path == "/usr/lib/libnccl.so.2.28.9");
  CHECK(libraries[0].problem == "it is no file with content");
  CHECK(libraries[1].name == "libnccl-net-x.so");
  CHECK(libraries[1].problem == "it is no ELF file");
  CHECK(libraries[1].sha256 == sha256_of("no library", 100));
}

TEST_CASE("ELF: our own file is no shared library or has its build id; broken ones never crash") {
  const ElfFacts own = read_elf("/proc/self/exe");
  CHECK(own.symbols.empty());
  CHECK(read_elf("/nowhere").problem == "No such file or directory");
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::string bytes(4096, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const Tree tree;
  for (std::size_t length = 1; length < bytes.size(); length = length * 3 / 2 + 1) {
    tree.file("/cut", bytes.substr(0, length));
    CHECK(read_elf(tree.root() + "/cut").symbols.empty());
  }
}

TEST_CASE("SHA-256: examples of FIPS 180-4, in one piece and in many") {
  for (const std::size_t piece : {1UL, 7UL, 64UL, 1000UL}) {
    CHECK(sha256_of("", piece) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_of("abc", piece) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", piece) ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256_of(std::string(1'000'000, 'a'), piece) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

TEST_CASE("GPUs as the library tells them, and who computes on them; without one the reason") {
  const Nvml found = read_nvml(COLLBENCH_NVML_FAKE);
  CHECK(found.missing == "");
  CHECK(found.driver == "570.86.15");
  REQUIRE(found.gpus.size() == 2);
  CHECK(found.gpus[0].pci == "0000:1b:00.0");
  CHECK(found.gpus[0].processes == 0);
  CHECK(found.gpus[1].processes == 3);
  CHECK(found.gpus[0].nvlinks == 14);
  CHECK(found.gpus[0].nvlink_mbps == 26'562);
  CHECK(found.gpus[0].nvlink_ends == std::map<std::string, int>{{"0000:1c:00.0", 1}, {"switch", 13}});
  CHECK(found.gpus[1].nvlinks == -1);
  CHECK(found.gpus[1].nvlink_ends.empty());
  CHECK(found.gpus[1].link_width == 4);
  CHECK(found.gpus[1].link_width_max == 16);
  CHECK(found.gpus[1].memory_used_bytes == 754'820'096);
  const Nvml none = read_nvml("/nowhere/libnvidia-ml.so.1");
  CHECK(none.gpus.empty());
  CHECK(none.missing.find("/nowhere/libnvidia-ml.so.1") != std::string::npos);
}

TEST_CASE("trees of other machines are read below their root") {
  const std::string fixtures = COLLBENCH_METRICS_FIXTURES;
  const MachineFacts mlx5 = read_facts({fixtures + "/mlx5", {}, false, false});
  int ports = 0;
  for (const auto& [path, text] : mlx5.files.text)
    if (path.starts_with("/sys/class/infiniband/") && path.ends_with("/state")) ++ports;
  CHECK(mlx5.files.text.count("/proc/stat") + static_cast<std::size_t>(ports) >= 1);
  for (const auto& [path, text] : mlx5.files.text) CHECK(path.find(fixtures) == std::string::npos);
}

TEST_CASE("this machine: what every Linux machine has") {
  const MachineFacts facts = read_facts({});
  CHECK(facts.files.text.count("/proc/meminfo") == 1);
  CHECK(facts.files.text.count("/proc/self/limits") == 1);
  REQUIRE(facts.live.has_value());
  CHECK_FALSE(facts.live->glibc.empty());
  CHECK(facts.live->realtime_ns > 1'600'000'000'000'000'000);
  CHECK_FALSE(facts.live->stat_later.empty());
  CHECK(facts.nvml.has_value());
}
