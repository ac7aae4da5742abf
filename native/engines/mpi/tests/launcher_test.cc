#include "engines/mpi/launcher.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"

using namespace collbench;
using namespace collbench::mpi;

namespace {

MpiToolchain tools(const std::string& said) {
  MpiToolchain found;
  REQUIRE(read_version(said, found));
  return found;
}

const std::string kOpenMpi4 = "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/\n";
const std::string kMpich4 = "HYDRA build details:\n    Version:                                 4.0.2\n";
const std::string kIntel = "Intel(R) MPI Library for Linux* OS, Version 2021.11 Build 20231005\n";

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("mpirun --version says which MPI it belongs to") {
  CHECK(tools(kOpenMpi4).title() == "Open MPI 4.1.4");
  CHECK(tools(kMpich4).title() == "MPICH 4.0.2");
  CHECK(tools(kIntel).title() == "Intel MPI 2021.11");
  CHECK(tools(kOpenMpi4).major() == 4);
  MpiToolchain none;
  CHECK_FALSE(read_version("mpirun (Some MPI) 1.0", none));
  CHECK_FALSE(read_version("mpirun (Open MPI) unknown", none));
  CHECK_FALSE(read_version("", none));
}

TEST_CASE("Open MPI: one transfer layer is open, and none that would choose for itself") {
  const EngineSettings tcp = environment_for(tools(kOpenMpi4), {"socket", "eth0", 2, false});
  CHECK(tcp.at("OMPI_MCA_pml") == "ob1");
  CHECK(tcp.at("OMPI_MCA_btl") == "self,tcp");
  CHECK(tcp.at("OMPI_MCA_btl_tcp_if_include") == "eth0");
  CHECK(tcp.at("OMPI_MCA_btl_tcp_links") == "2");
  CHECK_FALSE(tcp.contains("OMPI_MCA_mpi_yield_when_idle"));
  const EngineSettings memory = environment_for(tools(kOpenMpi4), {"shm", "", 0, true});
  CHECK(memory.at("OMPI_MCA_btl") == "self,vader");
  CHECK(memory.at("OMPI_MCA_mpi_yield_when_idle") == "1");
  CHECK_FALSE(memory.contains("OMPI_MCA_btl_tcp_if_include"));
  CHECK(environment_for(tools("mpirun (Open MPI) 5.0.3"), {"shm", "", 0, false}).at("OMPI_MCA_btl") ==
        "self,sm");
}

TEST_CASE("MPICH and Intel MPI: shared memory is closed for socket") {
  CHECK(environment_for(tools(kMpich4), {"socket", "lo", 0, false}).at("MPIR_CVAR_NOLOCAL") == "1");
  CHECK(environment_for(tools(kMpich4), {"shm", "", 0, false}).at("MPIR_CVAR_NOLOCAL") == "0");
  CHECK(environment_for(tools(kIntel), {"shm", "", 0, false}).at("I_MPI_FABRICS") == "shm");
  CHECK_THROWS_AS(environment_for(tools(kMpich4), {"socket", "lo", 2, false}), Error);
}

TEST_CASE(
    "UCX is confined to TCP over one interface and reports what it connects; no other layer opens ports") {
  const EngineSettings open_mpi = environment_for(tools(kOpenMpi4), {"ucx", "eth0", 0, false});
  CHECK(open_mpi.at("OMPI_MCA_pml") == "ucx");
  CHECK(open_mpi.at("OMPI_MCA_btl") == "self");
  const EngineSettings mpich = environment_for(tools(kMpich4), {"ucx", "eth0", 0, false});
  CHECK(mpich.at("MPIR_CVAR_CH4_NETMOD") == "ucx");
  CHECK(mpich.at("MPIR_CVAR_NOLOCAL") == "1");
  for (const EngineSettings& set : {open_mpi, mpich}) {
    CHECK(set.at("UCX_TLS") == "tcp,self");
    CHECK(set.at("UCX_NET_DEVICES") == "eth0");
    CHECK(set.at("UCX_LOG_LEVEL") == "info");
  }
  CHECK_THROWS_WITH_AS(environment_for(tools(kOpenMpi4), {"ucx", "eth0", 2, false}),
                       doctest::Contains("--streams has no effect with UCX"), Error);
  CHECK_THROWS_WITH_AS(environment_for(tools(kIntel), {"ucx", "eth0", 0, false}),
                       doctest::Contains("use --transport socket"), Error);
}

TEST_CASE("a transport that no MPI has, and too many streams, are refused") {
  CHECK_THROWS_WITH_AS(environment_for(tools(kOpenMpi4), {"sisci", "", 0, false}),
                       doctest::Contains("there is no transport \"sisci\"; there are socket, shm, ucx"),
                       Error);
  CHECK_THROWS_AS(environment_for(tools(kOpenMpi4), {"socket", "lo", 17, false}), Error);
}

TEST_CASE("on one machine the launcher starts one slot for each rank, and as root where it must") {
  const std::vector<MpiHostShare> here{{kThisHost, "/cache/slot", 3}};
  const auto user = launcher_words(tools(kOpenMpi4), here, "a,b,c", false),
             root = launcher_words(tools(kOpenMpi4), here, "a,b,c", true),
             mpich = launcher_words(tools(kMpich4), here, "a,b,c", true);
  CHECK(has(user, "localhost:3"));
  CHECK_FALSE(has(user, "--allow-run-as-root"));
  CHECK(has(root, "--allow-run-as-root"));
  CHECK(has(mpich, "localhost:3"));
  for (const auto& words : {user, root, mpich})
    CHECK(std::vector<std::string>(words.end() - 2, words.end()) ==
          std::vector<std::string>{"/cache/slot", "a,b,c"});
}

TEST_CASE("between hosts the ranks of each start the slot program that its host has, in the order of ranks") {
  const std::vector<MpiHostShare> shares{{"10.0.0.1", "/a/slot", 2}, {"10.0.0.2", "/b/slot", 1}};
  CHECK(launcher_words(tools(kOpenMpi4), shares, "x,y,z", false) ==
        std::vector<std::string>{"", "--leave-session-attached", "-np", "2", "--host", "10.0.0.1:2",
                                 "--bind-to", "none", "/a/slot", "x,y,z", ":", "-np", "1", "--host",
                                 "10.0.0.2:1", "--bind-to", "none", "/b/slot", "x,y,z"});
  const auto mpich = launcher_words(tools(kMpich4), shares, "x,y,z", false);
  CHECK(has(mpich, "10.0.0.1:2,10.0.0.2:1"));
  // Hydra calls the slot program of rank 0's host in place of ssh.
  const auto exec = std::find(mpich.begin(), mpich.end(), "-launcher-exec");
  REQUIRE(exec != mpich.end());
  CHECK(*(exec + 1) == "/a/slot");
}

TEST_CASE("Open MPI's launcher uses our slot program and no batch system, in the variables of its version") {
  const EngineSettings four = launcher_environment(tools(kOpenMpi4), "/a/slot", "eth0"),
                       five = launcher_environment(tools("mpirun (Open MPI) 5.0.3"), "/a/slot", "");
  CHECK(four.at("OMPI_MCA_plm_rsh_agent") == "/a/slot");
  CHECK(four.at("OMPI_MCA_oob_tcp_if_include") == "eth0");
  CHECK(four.at("OMPI_MCA_ras").starts_with("^slurm"));
  CHECK(five.at("PRTE_MCA_plm_ssh_agent") == "/a/slot");
  CHECK_FALSE(five.contains("PRTE_MCA_oob_tcp_if_include"));
  CHECK(launcher_environment(tools(kMpich4), "/a/slot", "eth0").empty());
}
