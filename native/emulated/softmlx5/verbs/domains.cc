// Protection domains and address handles.
#include <cerrno>
#include <cstring>

#include "emulated/softmlx5/verbs/api.h"
#include "emulated/softmlx5/verbs/device.h"
#include "emulated/softmlx5/verbs/objects.h"

namespace collbench::softmlx5::verbs::api {
namespace {

// Fields of the PRM's address vector that verbs fill.
constexpr std::size_t kRateAndLevel = 12, kPathBits = 13, kLid = 14, kTrafficClass = 26, kHopLimit = 27,
                      kGridFlow = 28, kRemoteGid = 32;
constexpr std::uint32_t kGlobal = 1U << 30;

// bits of ibv_parent_domain_init_attr::comp_mask
constexpr std::uint32_t kAllocators = 1, kAllocatorContext = 2;

}  // namespace

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  auto domain = std::make_unique<Domain>();
  domain->context = context;
  domain->number = domain->handle = card_of(context).create_domain(context);
  if (domain->number == 0) return fail_with<ibv_pd>(ENOMEM);
  return domain.release();
}

// Queues stay in this library's own memory: the interface allows ignoring the caller's allocator.
ibv_pd* alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* attr) {
  if (attr->pd == nullptr || attr->td != nullptr) return fail_with<ibv_pd>(EINVAL);
  if ((attr->comp_mask & ~(kAllocators | kAllocatorContext)) != 0) return fail_with<ibv_pd>(EINVAL);
  Domain& parent = of(attr->pd);
  if (parent.parent != nullptr || parent.context != context) return fail_with<ibv_pd>(EINVAL);
  auto domain = std::make_unique<Domain>();
  domain->context = context;
  domain->number = domain->handle = parent.number;
  domain->parent = &parent;
  ++parent.users;
  return domain.release();
}

int ibv_dealloc_pd(ibv_pd* pd) {
  Domain& domain = of(pd);
  if (domain.users > 0) return fail(EBUSY);
  if (domain.parent != nullptr) {
    --domain.parent->users;
  } else if (!card_of(pd->context).destroy_domain(domain.number)) {
    return fail(EBUSY);
  }
  delete &domain;
  return 0;
}

ibv_ah* ibv_create_ah(ibv_pd* pd, ibv_ah_attr* attr) {
  if (attr->port_num != kPort || (attr->is_global != 0 && attr->grh.sgid_index != 0))
    return fail_with<ibv_ah>(EINVAL);
  auto handle = std::make_unique<AddressHandle>(pd);
  handle->context = pd->context;
  std::byte* vector = handle->vector.data();
  vector[kRateAndLevel] = static_cast<std::byte>(attr->static_rate << 4 | (attr->sl & 0xf));
  vector[kPathBits] = static_cast<std::byte>(attr->src_path_bits & 0x7f);
  store_big(vector + kLid, attr->dlid);
  if (attr->is_global != 0) {
    vector[kTrafficClass] = static_cast<std::byte>(attr->grh.traffic_class);
    vector[kHopLimit] = static_cast<std::byte>(attr->grh.hop_limit);
    store_big(vector + kGridFlow, kGlobal | (attr->grh.flow_label & 0xfffff));
    std::memcpy(vector + kRemoteGid, attr->grh.dgid.raw, sizeof attr->grh.dgid.raw);
  }
  return handle.release();
}

int ibv_destroy_ah(ibv_ah* ah) {
  delete &of(ah);
  return 0;
}

}  // namespace collbench::softmlx5::verbs::api
