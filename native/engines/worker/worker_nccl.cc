#include "engines/worker/worker_nccl.h"

#include <unistd.h>

#include <cstdio>

#include "engines/nccl/environment.h"
#include "engines/nccl/probe.h"
#include "engines/worker/child.h"
#include "transports/sisci/transport.h"

namespace collbench::worker {
namespace {

/// Returns an NCCL version such as "2.28.9" as ncclGetVersion() would: 22809; 0 for an empty text.
int version_number(const std::string& text) {
  int major = 0, minor = 0, patch = 0;
  if (std::sscanf(text.c_str(), "%d.%d.%d", &major, &minor, &patch) < 2) return 0;
  return major * 10000 + minor * 100 + patch;
}

}  // namespace

WorkerNccl::WorkerNccl(const EngineOptions& options, const WorkerSettings& settings) : options_(options) {
  settings_.gpus = settings.gpus;
  settings_.share_gpu = settings.share_gpu;
}

WorkerNccl::~WorkerNccl() {
  if (options_.log_fd < 0) return;
  char block[16384];
  std::int64_t at = 0;
  for (ssize_t n; (n = pread(log_.fd(), block, sizeof block, at)) > 0; at += n)
    if (write(options_.log_fd, block, static_cast<std::size_t>(n)) != n) return;
}

const nccl::Environment& WorkerNccl::choose_environment(const std::string& version) {
  environment_ = nccl::environment_for(options_.transport, options_.transport_options, settings_,
                                       "/proc/self/fd/" + std::to_string(kChildLibraryLog),
                                       options_.local_ranks, version_number(version));
  return environment_;
}

void WorkerNccl::check() {
  log_.update();
  nccl::refuse_other_network(environment_, log_, options_.transport);
}

std::map<std::string, std::uint64_t> WorkerNccl::paths() const {
  log_.update();
  return log_.findings().paths;
}

void WorkerNccl::describe(const std::string& gpu, const std::string& version,
                          DeviceProperties& device) const {
  device.name = gpu;
  if (options_.transport == "sisci") {
    const Availability sisci = probe_sisci(options_.transport_options);
    const auto framework = device.detail.framework;
    device.detail = sisci.detail;
    device.detail.framework = framework;
    device.medium = sisci.medium;
  }
  device.detail.library = version.empty() ? "NCCL" : "NCCL " + version;
  device.detail.library_transport = options_.transport;
  if (nccl::over_software_card(options_.transport, options_.transport_options)) {
    device.medium = Medium::kEmulated;
    device.detail.software_card = "softmlx5";
    device.detail.link = options_.transport_options.link;
  }
  if (nccl::has_fake_gpus()) {
    device.medium = Medium::kEmulated;
    device.detail.is_fake = true;
  }
}

void WorkerNccl::add_facts(EngineSettings& facts) const {
  if (const std::string& plugin = log_.findings().plugin; !plugin.empty()) facts["net.loaded"] = plugin;
  for (const auto& [name, value] : environment_)
    if (!nccl::is_secret(name)) facts["env." + name] = value;
}

}  // namespace collbench::worker
