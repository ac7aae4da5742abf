#include "engines/gpu/gpu_engine.h"

#include <algorithm>

#include "core/environment.h"
#include "core/error.h"

namespace collbench {

void GpuEngine::open_gpu(const EngineOptions& options, const std::vector<int>& gpus, bool share,
                         bool host_check) {
  // The driver would not return from starting the kernel behind which operations are queued.
  if (const std::string value = environment_value("CUDA_LAUNCH_BLOCKING", "0"); value != "0")
    throw Error(ErrorCode::kInvalidArgument,
                "CUDA_LAUNCH_BLOCKING=" + value +
                    " makes the host wait for each kernel, so no operations can be queued; remove it: unset "
                    "CUDA_LAUNCH_BLOCKING");
  const cuda::DriverApi& driver = cuda::require_driver();
  device_.emplace(driver, cuda::choose_gpu(driver, {gpus, share, options.local_rank, options.local_ranks}));
  computations_.emplace(*device_);
  tools_ = cuda::make_tools(*device_, host_check);
  facts_.insert(tools_.facts.begin(), tools_.facts.end());
}

bool GpuEngine::find_sharing(Bootstrap& bootstrap, bool may_share) {
  const std::string mine = cuda::this_machine() + " " + device_->pci();
  const auto devices = bootstrap.all_gather("GPU of each rank", mine);
  ranks_on_gpu_ = static_cast<int>(std::ranges::count(devices, mine));
  if (may_share) return ranks_on_gpu_ > 1;
  for (int r = 0; r < ranks_; ++r) {
    if (r == rank_ || devices[static_cast<std::size_t>(r)] != mine) continue;
    throw Error(ErrorCode::kInvalidArgument,
                "ranks " + std::to_string(std::min(r, rank_)) + " and " + std::to_string(std::max(r, rank_)) +
                    " both have GPU " + device_->pci() + " of " + cuda::this_machine() +
                    "; give each its own with --gpus, or allow it with --share-gpu");
  }
  return false;
}

void GpuEngine::require_one_version(Bootstrap& bootstrap, const std::string& library,
                                    const std::string& version, const std::string& option) const {
  const auto versions = bootstrap.all_gather(library + " version of each rank", version);
  for (int r = 0; r < ranks_; ++r)
    if (const std::string& other = versions[static_cast<std::size_t>(r)]; other != version)
      throw Error(ErrorCode::kUnavailable, "rank " + std::to_string(r) + " has " + library + " " + other +
                                               ", rank " + std::to_string(rank_) + " has " + version +
                                               "; one run needs one version: name it with " + option +
                                               " PATH");
}

void GpuEngine::describe_gpu() {
  properties_.name =
      "GPU " + std::to_string(device_->ordinal()) + " " + device_->name() + " [" + device_->pci() + "]";
  if (device_->driver().fake) {
    properties_.medium = Medium::kEmulated;
    properties_.detail.is_fake = true;
  }
  if (ranks_on_gpu_ > 1) {
    properties_.detail.shares_gpu = true;
    if (device_->uses_mps()) properties_.detail.uses_mps = true;
  }
  facts_["gpu"] = properties_.name;
}

void GpuEngine::describe_software_card() {
  card_ = plugin::SoftwareCard::in_this_process();
  properties_.medium = Medium::kEmulated;
  if (card_) card_->describe(properties_.detail);
}

}  // namespace collbench
