// The one device of the process and its contexts: opening, closing, events.
#include "emulated/softmlx5/verbs/device.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/spin.h"
#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/objects.h"
#include "emulated/softmlx5/verbs/sysfs.h"

namespace collbench::softmlx5::verbs {
namespace {

constexpr const char* kName = "mlx5_0";

rdma::ibv_device& device() {
  static rdma::ibv_device one = [] {
    rdma::ibv_device made{};
    made.node_type = rdma::IBV_NODE_CA;
    made.transport_type = rdma::IBV_TRANSPORT_IB;
    std::snprintf(made.name, sizeof made.name, "%s", kName);
    std::snprintf(made.dev_name, sizeof made.dev_name, "uverbs0");
    std::snprintf(made.dev_path, sizeof made.dev_path, "/sys/class/infiniband_verbs/uverbs0");
    std::snprintf(made.ibdev_path, sizeof made.ibdev_path, "/sys/class/infiniband/%s", kName);
    return made;
  }();
  return one;
}

/// Returns the emulated adapter of this process; nullptr if it cannot be created, with the reason on stderr.
Card* open_card() {
  std::string problem;
  Card* card = Card::open(&problem);
  static std::once_flag said, shown;
  if (card != nullptr) std::call_once(shown, [card] { show_counters(*card); });
  if (card == nullptr) std::call_once(said, [&] { std::fprintf(stderr, "softmlx5: %s\n", problem.c_str()); });
  return card;
}

}  // namespace

DeviceContext::DeviceContext(Card& its_card) : verbs_context{}, card(its_card) {
  query_port = api::query_port;
  alloc_parent_domain = api::alloc_parent_domain;
  get_srq_num = api::get_srq_num;
  sz = sizeof(verbs_context);
  context.device = &device();
  context.ops.poll_cq = api::poll_cq;
  context.ops.req_notify_cq = api::req_notify_cq;
  context.ops.post_send = api::post_send;
  context.ops.post_recv = api::post_recv;
  context.ops.post_srq_recv = api::post_srq_recv;
  context.cmd_fd = -1;
  context.async_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  context.num_comp_vectors = 1;
  pthread_mutex_init(&context.mutex, nullptr);
  context.abi_compat = reinterpret_cast<void*>(UINTPTR_MAX);
}

namespace api {

int ibv_fork_init() { return 0; }

ibv_device** ibv_get_device_list(int* count) {
  const bool found = open_card() != nullptr;
  auto** list = static_cast<ibv_device**>(std::calloc(2, sizeof(ibv_device*)));
  if (list == nullptr) return fail_with<ibv_device*>(ENOMEM);
  if (found) list[0] = &device();
  if (count != nullptr) *count = found ? 1 : 0;
  return list;
}

void ibv_free_device_list(ibv_device** list) { std::free(list); }

const char* ibv_get_device_name(ibv_device* device) { return device->name; }

std::uint64_t ibv_get_device_guid(ibv_device*) {
  Card* card = open_card();
  return card == nullptr ? 0 : guid_of(card->lid());
}

bool mlx5dv_is_supported(ibv_device* asked) { return asked == &verbs::device(); }

ibv_context* ibv_open_device(ibv_device* asked) {
  Card* card = asked == &verbs::device() ? open_card() : nullptr;
  if (card == nullptr) return fail_with<ibv_context>(ENODEV);
  static std::mutex mutex;
  static auto& all = *new std::vector<std::unique_ptr<DeviceContext>>;
  auto context = std::make_unique<DeviceContext>(*card);
  if (context->context.async_fd < 0) return nullptr;
  const std::lock_guard lock(mutex);
  all.push_back(std::move(context));
  return &all.back()->context;
}

int ibv_close_device(ibv_context* context) {
  DeviceContext& mine = DeviceContext::of(context);
  {
    const std::lock_guard lock(mine.mutex);
    if (mine.closed) return fail(EINVAL);
    mine.closed = true;
  }
  // Threads that wait for events return with an error before the descriptor is closed.
  for (;;) {
    const std::lock_guard lock(mine.mutex);
    if (mine.waiting == 0) break;
    if (eventfd_write(context->async_fd, 1) != 0) break;
    yield_core();
  }
  close(context->async_fd);
  return 0;
}

// The card reports errors only by completions. The descriptor becomes readable when the device is closed.
int ibv_get_async_event(ibv_context* context, ibv_async_event*) {
  DeviceContext& mine = DeviceContext::of(context);
  {
    const std::lock_guard lock(mine.mutex);
    if (mine.closed) return fail(EBADF), -1;
    ++mine.waiting;
  }
  eventfd_t woken = 0;
  int error = eventfd_read(context->async_fd, &woken) == 0 ? EBADF : errno;
  const std::lock_guard lock(mine.mutex);
  --mine.waiting;
  fail(error);
  return -1;
}

void ibv_ack_async_event(ibv_async_event*) {}

}  // namespace api
}  // namespace collbench::softmlx5::verbs
