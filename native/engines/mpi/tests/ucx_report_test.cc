#include "engines/mpi/ucx_report.h"

#include <doctest/doctest.h>

using namespace collbench::mpi;

TEST_CASE("UCX reports its version and the lanes of its endpoints; lanes of a rank to itself are left out") {
  // UCX 1.13.1 of Debian 12 below Open MPI 4.1.4.
  const UcxLanes old = parse_ucx_log(
      "[1796013490.719984] [vm:16497:0] ucp_context.c:1849 UCX  INFO  Version 1.13.1 (loaded from "
      "/lib/libucp.so.0)\n"
      "[1796013490.724160] [vm:16497:0] rdmacm_cm.c:928  UCX  DIAG  rdma_create_event_channel failed: No "
      "such device\n"
      "[1796013490.724242] [vm:16497:0] parser.c:1916 UCX  INFO  UCX_* env variables: UCX_TLS=tcp,self\n"
      "[1796013490.790489] [vm:16497:0] ucp_worker.c:1763 UCX  INFO    ep_cfg[0]: tag(self/memory0 tcp/lo) "
      "rma(self/memory0)\n"
      "[1796013490.790942] [vm:16497:0] ucp_worker.c:1763 UCX  INFO    ep_cfg[1]: tag(tcp/lo) am(tcp/lo)\n");
  CHECK(old.version == "1.13.1");
  CHECK(old.paths == std::map<std::string, std::uint64_t>{{"UCX/tcp/lo", 2}});
  const UcxLanes later = parse_ucx_log(
      "[1] [a:1:0] ucp_context.c:2190 UCX  INFO  Version 1.16.0 (loaded from /lib/libucp.so.0)\n"
      "[1] [a:1:0] ucp_worker.c:1888 UCX  INFO    ucp_context_0 self cfg#0 tag(self/memory cma/memory)\n"
      "[1] [a:1:0] ucp_worker.c:1888 UCX  INFO    ucp_context_0 inter-node cfg#1 tag(rc_mlx5/mlx5_0:1)\n");
  CHECK(later.version == "1.16.0");
  CHECK(later.paths ==
        std::map<std::string, std::uint64_t>{{"UCX/cma/memory", 1}, {"UCX/rc_mlx5/mlx5_0:1", 1}});
}

TEST_CASE("a log without lines of UCX reports nothing") {
  CHECK(parse_ucx_log("").paths.empty());
  CHECK(parse_ucx_log("mpirun: tag(tcp/lo) cfg#0\n").version.empty());
}

TEST_CASE("a line of UCX that ends before its lanes reports none") {
  CHECK(parse_ucx_log("[1] [a:1:0] ucp_worker.c:1763 UCX  INFO  ep_cfg[0]:").paths.empty());
  CHECK(parse_ucx_log("[1] [a:1:0] ucp_worker.c:1888 UCX  INFO  inter-node cfg#1").paths.empty());
}
