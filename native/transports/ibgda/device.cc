#include "transports/ibgda/device.h"

#include <limits.h>
#include <stdlib.h>

#include <cerrno>

#include "core/error.h"
#include "vendor_api/mlx5/devx.h"

namespace collbench::ibgda {
namespace {

using namespace rdma;

/// Returns the link speed in Mbit/s: the rate of one lane, encoded in ibv_port_attr::active_speed (IBTA
/// codes), times the number of lanes, encoded in active_width. 0 for other rates than EDR, HDR and NDR.
int speed_of(const ibv_port_attr& port) noexcept {
  const auto lane_mbps = [&port] {
    switch (port.active_speed) {
      case 32:
        return 25'781;  // EDR
      case 64:
        return 53'125;  // HDR
      case 128:
        return 106'250;  // NDR
      default:
        return 0;
    }
  };
  const int lanes = port.active_width == 1    ? 1
                    : port.active_width == 2  ? 4
                    : port.active_width == 4  ? 8
                    : port.active_width == 16 ? 2
                                              : 12;
  return lane_mbps() * lanes;
}

std::string find_device_or_throw(const std::string& path) {
  char real[PATH_MAX];
  return realpath(path.c_str(), real) != nullptr ? real : "";
}

/// Checks that the adapter takes DEVX commands, by sending QUERY_HCA_CAP. Queues of kind dc also need the
/// capabilities dct and compact_address_vector and an InfiniBand port. Completion entries are not checked.
/// @throws Error(kUnavailable) if the adapter takes no DEVX commands, or with what it lacks for queues of
/// kind dc
void require_abilities(const VerbsLibrary& library, ibv_context* context, const std::string& name,
                       QueueKind kind, bool is_ethernet) {
  namespace devx = rdma::devx;
  unsigned char in[devx::kQueryHcaCapInBytes] = {}, out[devx::kMailboxHeadBytes + devx::kCapBytes] = {};
  devx::set(in, devx::kOpcode, devx::kQueryHcaCap);
  devx::set(in, devx::kOpMod, devx::kCapGeneral << 1 | 1);
  const int status = library.mlx5dv_devx_general_cmd(context, in, sizeof in, out, sizeof out);
  if (status != 0 || devx::get(out, devx::kStatus) != devx::kOk)
    throw Error(ErrorCode::kUnavailable,
                name + " does not take DEVX commands (errno " + std::to_string(status) +
                    "); it needs a ConnectX-5 or newer, rdma-core 28 or newer, and read and write access to "
                    "/dev/infiniband/uverbs*");
  const std::string missing =
      missing_abilities(kind, static_cast<const unsigned char*>(out) + devx::kMailboxHeadBytes, is_ethernet);
  if (!missing.empty())
    throw Error(ErrorCode::kUnavailable,
                name + " has no queues of kind dc: " + missing + "; take --ibgda-queue rc");
}

}  // namespace

QueueKind queue_kind(const std::string& name) {
  if (name == "rc") return QueueKind::kReliable;
  if (name == "dc") return QueueKind::kDynamic;
  throw Error(ErrorCode::kInvalidArgument, "ibgda has queues of the kinds rc and dc, got " + name);
}

std::string missing_abilities(QueueKind kind, const void* general, bool is_ethernet) {
  namespace cap = rdma::devx::cap;
  if (kind == QueueKind::kReliable) return "";
  std::string missing;
  const auto need = [&missing](bool found, const char* what) {
    if (!found) missing += (missing.empty() ? "" : "; ") + std::string(what);
  };
  need(devx::get(general, cap::kDct) != 0,
       "it does not offer dynamically connected targets (capability dct)");
  need(devx::get(general, cap::kCompactAddressVector) != 0,
       "it does not take short address vectors (capability compact_address_vector)");
  need(!is_ethernet, "its port is Ethernet, and short address vectors need InfiniBand");
  return missing;
}

Registration::~Registration() { library_->ibv_dereg_mr(region_); }

bool Registration::covers(const void* data, std::size_t bytes) const noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(region_->addr);
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  return at >= begin && bytes <= region_->length && at - begin <= region_->length - bytes;
}

IbgdaDevice::IbgdaDevice(std::shared_ptr<const VerbsLibrary> library, const std::string& name, QueueKind kind)
    : library_(std::move(library)) {
  int count = 0;
  ibv_device** list = library_->ibv_get_device_list(&count);
  std::string seen;
  for (int n = 0; list != nullptr && n < count; ++n) {
    const std::string candidate = library_->ibv_get_device_name(list[n]);
    seen += (seen.empty() ? "" : ", ") + candidate;
    if (context_ != nullptr || (!name.empty() && candidate != name) ||
        !library_->mlx5dv_is_supported(list[n]))
      continue;
    ibv_context* context = library_->ibv_open_device(list[n]);
    if (context == nullptr) continue;
    ibv_port_attr port{};
    if (library_->ibv_query_port(context, kPort, &port) == 0 && port.state == IBV_PORT_ACTIVE) {
      context_ = context;
      port_ = port;
      name_ = candidate;
    } else {
      library_->ibv_close_device(context);
    }
  }
  if (list != nullptr) library_->ibv_free_device_list(list);
  if (context_ == nullptr)
    throw Error(ErrorCode::kUnavailable,
                library_->path +
                    (seen.empty() ? " has no adapter"
                                  : " has no mlx5 adapter" + (name.empty() ? "" : " " + name) +
                                        " with an active port that this user may open; there are: " + seen) +
                    "; look at `collbench doctor`, or take --medium emulated");
  pci_path_ = library_->medium == Medium::kEmulated
                  ? ""
                  : find_device_or_throw("/sys/class/infiniband/" + name_ + "/device");
  try {
    require_abilities(*library_, context_, name_, kind, is_ethernet());
    library_->ibv_query_gid(context_, kPort, 0, &gid_);
    domain_ = library_->ibv_alloc_pd(context_);
    if (domain_ == nullptr)
      throw system_error(ErrorCode::kUnavailable, name_ + ": no protection domain", errno);
    mlx5dv_pd described{};
    mlx5dv_obj object{};
    object.pd = {domain_, &described};
    if (library_->mlx5dv_init_obj(&object, MLX5DV_OBJ_PD) != 0)
      throw Error(ErrorCode::kUnavailable, name_ + ": its protection domain has no number");
    domain_number_ = described.pdn;
    if (kind == QueueKind::kDynamic) target_ = std::make_unique<DcTarget>(library_, context_, domain_, port_);
  } catch (...) {
    if (domain_ != nullptr) library_->ibv_dealloc_pd(domain_);
    library_->ibv_close_device(context_);
    throw;
  }
}

IbgdaDevice::~IbgdaDevice() {
  target_.reset();
  library_->ibv_dealloc_pd(domain_);
  library_->ibv_close_device(context_);
}

int IbgdaDevice::speed_mbps() const noexcept { return speed_of(port_); }

std::unique_ptr<Registration> IbgdaDevice::register_memory(void* data, std::size_t bytes) const {
  constexpr int kAll =
      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  ibv_mr* region = library_->ibv_reg_mr(domain_, data, bytes, kAll);
  if (region == nullptr)
    throw system_error(ErrorCode::kUnavailable,
                       name_ + " cannot register " + std::to_string(bytes) +
                           " bytes (a limit of locked memory? `ulimit -l unlimited`)",
                       errno);
  return std::make_unique<Registration>(library_, region);
}

}  // namespace collbench::ibgda
