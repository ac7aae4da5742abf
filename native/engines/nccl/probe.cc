#include "engines/nccl/probe.h"

#include <algorithm>
#include <exception>

#include "core/error.h"
#include "core/text.h"
#include "cuda/nvrtc_api.h"
#include "cuda/probe.h"
#include "engines/nccl/device_api/device_api.h"
#include "engines/nccl/environment.h"
#include "engines/nccl/infiniband.h"
#include "engines/nccl/nccl_api.h"
#include "engines/nccl/search.h"
#include "engines/nccl/settings.h"
#include "transports/ibgda/lookalikes.h"
#include "transports/plugin/transport.h"
#include "transports/sisci/transport.h"

namespace collbench::nccl {
namespace {

constexpr int kFirstWithGin = 22803;

/// Runs all checks of the probe, one after the other, and collects everything that is missing.
class TransportProbe {
 public:
  TransportProbe(const std::string& transport, const TransportOptions& options, const NcclSettings& settings)
      : transport_(transport.substr(0, transport.find(':'))), options_(options), settings_(settings) {
    if (options_.library.empty() && transport.starts_with("plugin:"))
      options_.library = transport.substr(transport.find(':') + 1);
  }

  Availability run() {
    const auto& names = transport_names();
    if (std::find(names.begin(), names.end(), transport_) == names.end()) {
      miss("The nccl engine has no transport \"" + transport_ + "\".", "Take " + join(names) + ".");
      return finish();
    }
    probe_gpus();
    check_nccl();
    check_compiler();
    check_device_api();
    check_transport();
    check_environment();
    return finish();
  }

 private:
  void miss(const std::string& reason, const std::string& remedy) { found_.miss(reason, remedy); }
  void fact(const std::string& name, const std::string& value) { found_.facts[name] = value; }

  Availability finish() {
    found_.available = found_.reason.empty();
    if (nccl_ != nullptr) found_.detail.library = "NCCL " + nccl_->version_text();
    found_.detail.library_transport = transport_;
    if (driver_ != nullptr && driver_->fake) {
      found_.medium = Medium::kEmulated;
      found_.detail.is_fake = true;
    }
    return std::move(found_);
  }

  void probe_gpus() {
    const cuda::GpuProbe look = cuda::probe_gpus(settings_.gpus);
    driver_ = look.driver;
    driver_version_ = look.driver_version;
    found_.facts.insert(look.facts.begin(), look.facts.end());
    for (const auto& [reason, remedy] : look.missing) miss(reason, remedy);
    const auto offered = settings_.gpus.empty() ? static_cast<std::size_t>(look.gpus) : settings_.gpus.size();
    if (driver_ != nullptr && offered == 1 && (transport_ == "p2p" || transport_ == "shm"))
      miss(transport_ + " needs two GPUs of one machine, and there is one.",
           "Take a machine with more GPUs, or measure over socket or sisci with --share-gpu.");
  }

  void check_nccl() {
    const std::string remedy =
        "Install NCCL (pip install nvidia-nccl-cu13, or the package libnccl2), or name its "
        "libnccl.so.2 with --nccl.";
    const cuda::LibrarySearch found = find_nccl(settings_.library);
    if (found.path.empty()) {
      miss(settings_.library.empty()
               ? "No NCCL found: there is no libnccl.so.2 in " + describe_folders(found) + "."
               : "There is no libnccl.so.2 at " + settings_.library + " (--nccl).",
           remedy);
      return;
    }
    fact("nccl.how", found.how);
    fact("nccl.path", found.path);
    try {
      nccl_ = &open_nccl(found.path);
    } catch (const Error& error) {
      miss(error.what(), remedy);
      return;
    }
    fact("nccl.path", nccl_->path);
    fact("nccl.version", nccl_->version_text());
    // Packages for CUDA N run on every driver of N.0 and newer, and on none before.
    const auto built_for = cuda_major_of(nccl_->path);
    if (built_for && driver_version_ != 0 && driver_version_ / 1000 < *built_for)
      miss("The driver is too old: it is for CUDA " + cuda::cuda_version(driver_version_) + ", and " +
               nccl_->path + " is NCCL for CUDA " + std::to_string(*built_for) + ".",
           "Update the driver, or take an NCCL for CUDA " + std::to_string(driver_version_ / 1000) +
               " with --nccl.");
    const auto need = [this](bool asked, int version, const std::string& what, const char* words) {
      if (asked && nccl_->version < version)
        miss(what + " needs NCCL " + words + " or newer, and this is " + nccl_->version_text() + ".",
             "Name a newer NCCL with --nccl, or leave the setting out.");
    };
    need(!settings_.blocking, 21400, "A non-blocking communicator", "2.14");
    need(settings_.split != 0, 21800, "Splitting a communicator", "2.18");
    need(settings_.registration == Registration::kLocal, 21900, "Buffer registration", "2.19");
    need(settings_.registration == Registration::kSymmetric, 22700, "Symmetric registration", "2.27");
    need(transport_ == "ibgda", kFirstWithGin, "ibgda (GIN)", "2.28.3");
  }

  void check_compiler() {
    if (driver_version_ == 0) return;  // Without a driver version, the matching compiler is not known.
    std::string why;
    if (const cuda::NvrtcApi* nvrtc = cuda::open_nvrtc(driver_version_ / 1000, &why))
      fact("nvrtc.path", nvrtc->path);
    else
      fact("nvrtc.missing", why);  // This is no obstacle, because the host can fill and compare.
  }

  void check_device_api() {
    if (nccl_ == nullptr) return;
    for (const auto& [name, value] :
         device_api_facts(*nccl_, transport_, over_software_card(transport_, options_))) {
      fact(name, value);
      const auto asked = settings_.device_api == DeviceReach::kGin ? "deviceApi.gin" : "deviceApi.lsa";
      if (settings_.device_api != DeviceReach::kNone && name == asked && value != "available")
        miss(value, "Bring what is missing, or leave --device-api out.");
    }
  }

  void check_transport() {
    if (const auto file = plugin_file(transport_, options_); !file.empty()) fact("net.plugin", file);
    if (transport_ == "sisci") adopt(probe_sisci(options_));
    if (transport_ == "plugin") adopt(probe_plugin(options_));
    if (transport_ == "ib" || transport_ == "ibgda") check_infiniband();
    if (transport_ == "ibgda" && options_.queue != "rc")
      miss("NCCL (GIN) makes reliable connections (rc), no queues of kind " + options_.queue + ".",
           "Take --ibgda-queue rc.");
  }

  void adopt(const Availability& other) {
    if (other.available) {
      found_.medium = other.medium;
      found_.detail = other.detail;
    } else {
      miss(other.reason, other.remedy);
    }
  }

  /// Checks the software adapter softmlx5 if it is to be used: on request, or if the machine has no
  /// InfiniBand device. A device that exists but cannot be used does not lead to softmlx5.
  /// @returns true if softmlx5 is to be used, even if the check failed
  bool take_software_card() {
    if (!over_software_card(transport_, options_)) return false;
    try {
      ibgda::check_lookalikes(options_);
      found_.medium = Medium::kEmulated;
      found_.detail.software_card = "softmlx5";
      found_.detail.link = options_.link.empty() ? "none" : options_.link;
    } catch (const Error& error) {
      miss(error.what(),
           "Use a machine with an InfiniBand device and its driver (ls /sys/class/infiniband), or "
           "measure over socket.");
    }
    return true;
  }

  void check_infiniband() {
    if (take_software_card()) return;
    const auto ports = list_infiniband();
    std::string seen;
    bool active = false, connectx = false;
    for (const auto& port : ports) {
      seen += (seen.empty() ? "" : ", ") + port.device + " port " + std::to_string(port.port) +
              (port.active ? " active " + port.rate : " not active");
      active |= port.active;
      connectx |= port.active && port.connectx;
    }
    if (!seen.empty()) fact("ib.ports", seen);
    if (ports.empty())
      miss("This machine has no InfiniBand or RoCE device.",
           "Use a machine with one and its driver (ls /sys/class/infiniband), or measure over socket.");
    else if (!active)
      miss("No InfiniBand or RoCE port is active: " + seen + ".", "Check cable and subnet manager (ibstat).");
    if (transport_ == "ibgda" && !connectx)
      miss("ibgda needs a ConnectX adapter: the GPU writes to its doorbells itself (GDAKI).",
           "Use a machine with ConnectX-4 or newer, or measure over ib.");
  }

  void check_environment() {
    try {
      for (const auto& [name, value] : environment_for(transport_, options_, settings_, "/proc/self/fd/N", 0,
                                                       nccl_ != nullptr ? nccl_->version : 0))
        fact("env." + name, is_secret(name) ? "(the run's secret)" : value);
    } catch (const Error& error) {
      if (found_.reason.find(error.what()) == std::string::npos)
        miss(error.what(), error.code() == ErrorCode::kInvalidArgument
                               ? "Change the settings that the sentence names."
                               : "Give a net plugin that NCCL can load.");
    }
  }

  std::string transport_;
  TransportOptions options_;
  NcclSettings settings_;
  Availability found_;
  const cuda::DriverApi* driver_ = nullptr;  // Null until the driver has been initialised.
  const NcclApi* nccl_ = nullptr;
  int driver_version_ = 0;  // CUDA version as 13000.
};

}  // namespace

Availability probe(const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings) {
  try {
    return TransportProbe(transport, options, parse_settings(settings)).run();
  } catch (const std::exception& error) {
    return refused(error, "Change that setting; engines/nccl/README.md lists them.");
  }
}

bool has_fake_gpus() {
  const cuda::DriverApi* driver = cuda::open_driver(nullptr);
  return driver != nullptr && driver->fake;
}

}  // namespace collbench::nccl
