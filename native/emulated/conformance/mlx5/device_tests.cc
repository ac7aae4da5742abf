#include <dlfcn.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "emulated/conformance/mlx5/bench.h"

namespace collbench::conformance::mlx5 {
namespace device {
namespace {

void symbol_versions(Mlx5Bench& bench) {
  const auto look = [](void* handle, const char* name, const char* version) {
    expect(dlvsym(handle, name, version) != nullptr, std::string("symbol ") + name + "@" + version,
           dlsym(handle, name) == nullptr ? "no such symbol" : "another version");
  };
  if (bench.lib.verbs == bench.lib.direct)
    throw TestSkipped{"one file holds both interfaces, without versions"};
#define RDMA_FUNCTION(ret, name, params, args, version, needed) \
  if (needed != 0 || bench.lib.is_emulated) look(bench.lib.verbs, #name, version);
#include "vendor_api/mlx5/verbs_functions.def"
#undef RDMA_FUNCTION
#define RDMA_FUNCTION(ret, name, params, args, version, needed) \
  if (needed != 0 || bench.lib.is_emulated) look(bench.lib.direct, #name, version);
#include "vendor_api/mlx5/mlx5dv_functions.def"
#undef RDMA_FUNCTION
}

void context_is_extended(Mlx5Bench& bench) {
  verbs_context* outer = extended(bench.context);
  expect(outer != nullptr, "abi_compat with all bits set", "another value");
  expect(outer->sz >= sizeof(verbs_context), "size of at least " + std::to_string(sizeof(verbs_context)),
         std::to_string(outer->sz));
  expect(outer->query_port != nullptr && outer->alloc_parent_domain != nullptr,
         "query_port and alloc_parent_domain", "a null pointer");
}

void device_attributes(Mlx5Bench& bench) {
  ibv_device_attr attr{};
  expect_errno("ibv_query_device", {0}, bench.lib.ibv_query_device(bench.context, &attr));
  expect(attr.max_qp > 0 && attr.max_cq > 0 && attr.max_mr > 0 && attr.max_sge > 0, "limits above 0",
         "max_qp " + std::to_string(attr.max_qp) + ", max_sge " + std::to_string(attr.max_sge));
  expect(attr.phys_port_cnt >= 1, "at least 1 port", std::to_string(attr.phys_port_cnt));
  expect_equal("vendor id", 0x2c9U, attr.vendor_id);
  expect(attr.atomic_cap >= IBV_ATOMIC_HCA, "atomics", std::to_string(attr.atomic_cap));
}

void port_attributes(Mlx5Bench& bench) {
  ibv_port_attr attr{};
  expect_errno("ibv_query_port", {0}, bench.lib.ibv_query_port(bench.context, 1, &attr));
  expect_equal("state ACTIVE", static_cast<int>(IBV_PORT_ACTIVE), static_cast<int>(attr.state));
  expect(attr.gid_tbl_len >= 1, "a GID table", std::to_string(attr.gid_tbl_len));
  if (attr.link_layer == IBV_LINK_LAYER_INFINIBAND) expect(attr.lid != 0, "a LID above 0", "0");
}

void no_such_port(Mlx5Bench& bench) {
  ibv_device_attr device{};
  bench.lib.ibv_query_device(bench.context, &device);
  ibv_port_attr attr{};
  const auto beyond = static_cast<std::uint8_t>(device.phys_port_cnt + 1);
  expect_errno("port past the last", {EINVAL},
               extended(bench.context)->query_port(bench.context, beyond, &attr, sizeof attr));
}

void gids(Mlx5Bench& bench) {
  ibv_gid gid{};
  expect_equal("ibv_query_gid of index 0 gives", 0, bench.lib.ibv_query_gid(bench.context, 1, 0, &gid));
  expect(gid.global.interface_id != 0, "an interface id above 0", "0");
  expect(bench.lib.ibv_query_gid(bench.context, 1, bench.port.gid_tbl_len, &gid) != 0,
         "an error for an index past the table", "success");
}

void events_block(Mlx5Bench& bench) {
  if (!bench.lib.is_emulated) throw TestSkipped{"closing a device that a thread waits on is not defined"};
  ibv_context* other = bench.lib.ibv_open_device(bench.device);
  expect(other != nullptr, "the device opens twice", errno_text(errno));
  int answer = 0;
  std::thread waiting([&] {
    ibv_async_event event{};
    answer = bench.lib.ibv_get_async_event(other, &event);
  });
  expect_errno("ibv_close_device", {0}, bench.lib.ibv_close_device(other));
  waiting.join();
  expect(answer != 0, "an error once the device is closed", "an event");
}

void event_texts(Mlx5Bench& bench) {
  const char* text = bench.lib.ibv_event_type_str(IBV_EVENT_PORT_ERR);
  expect(text != nullptr && std::strlen(text) > 0, "a name of the event", "none");
  text = bench.lib.ibv_event_type_str(static_cast<ibv_event_type>(1000));
  expect(text != nullptr && std::strlen(text) > 0, "a text for an unknown event", "none");
}

void parent_domain(Mlx5Bench& bench) {
  ibv_parent_domain_init_attr attr{};
  attr.pd = bench.pd;
  verbs_context* outer = extended(bench.context);
  ibv_pd* parent = outer->alloc_parent_domain(bench.context, &attr);
  expect(parent != nullptr, "a parent domain", errno_text(errno));
  mlx5dv_pd inner{}, own{};
  mlx5dv_obj obj{};
  obj.pd = {parent, &inner};
  expect_errno("mlx5dv_init_obj", {0}, bench.lib.mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD));
  obj.pd = {bench.pd, &own};
  bench.lib.mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD);
  expect_equal("the number of its domain,", own.pdn, inner.pdn);
  expect_errno("dealloc_pd while a parent domain uses it", {EBUSY}, bench.lib.ibv_dealloc_pd(bench.pd));
  expect_errno("dealloc_pd", {0}, bench.lib.ibv_dealloc_pd(parent));
}

void data_direct(Mlx5Bench& bench) {
  if (bench.lib.mlx5dv_get_data_direct_sysfs_path == nullptr) throw TestSkipped{"a library before MLX5_1.25"};
  char path[256];
  const int error = bench.lib.mlx5dv_get_data_direct_sysfs_path(bench.context, path, sizeof path);
  expect_errno("mlx5dv_get_data_direct_sysfs_path", {0, ENODEV}, error);
}

constexpr Mlx5Test kTests[] = {
    {"every needed symbol is there in its version", symbol_versions},
    {"contexts are extended ones of full size", context_is_extended},
    {"the device has limits and atomics", device_attributes},
    {"port 1 is active and has an address", port_attributes},
    {"a port that is not there is EINVAL", no_such_port},
    {"GID 0 is there, GIDs past the table are not", gids},
    {"ibv_get_async_event blocks until the device is closed", events_block},
    {"events have names, unknown ones too", event_texts},
    {"a parent domain shares its domain's number and keeps it in use", parent_domain},
    {"no data-direct path is ENODEV", data_direct},
};

}  // namespace
}  // namespace device

const std::span<const Mlx5Test> device_tests = device::kTests;

}  // namespace collbench::conformance::mlx5
