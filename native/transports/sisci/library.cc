#include "transports/sisci/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/shared_object.h"

namespace collbench::sisci {
namespace {

constexpr const char* kFileName = "libsisci.so";
constexpr const char* kSoftntbFile = "libsoftntb.so";
constexpr const char* kInstallFolders[] = {"/opt/DIS/lib64", "/opt/DIS/lib"};  // Dolphin's default prefix

/// Names of the SISCI functions that this transport calls. A libsisci.so without one of them is refused.
constexpr const char* kRequired[] = {"SCIInitialize",
                                     "SCITerminate",
                                     "SCIOpen",
                                     "SCIClose",
                                     "SCIGetLocalNodeId",
                                     "SCIQuery",
                                     "SCICreateSegment",
                                     "SCIPrepareSegment",
                                     "SCISetSegmentAvailable",
                                     "SCISetSegmentUnavailable",
                                     "SCIRemoveSegment",
                                     "SCIRegisterSegmentMemory",
                                     "SCIGetLocalSegmentId",
                                     "SCIMapLocalSegment",
                                     "SCIConnectSegment",
                                     "SCIDisconnectSegment",
                                     "SCIWaitForRemoteSegmentEvent",
                                     "SCIMapRemoteSegment",
                                     "SCIUnmapSegment",
                                     "SCICreateMapSequence",
                                     "SCIRemoveSequence",
                                     "SCIStartSequence",
                                     "SCICheckSequence",
                                     "SCIStoreBarrier",
                                     "SCIFlush",
                                     "SCICreateDMAQueue",
                                     "SCIRemoveDMAQueue",
                                     "SCIStartDmaTransfer",
                                     "SCIStartDmaTransferMem",
                                     "SCIDMAQueueState",
                                     "SCIAbortDMAQueue",
                                     "SCICreateDataInterrupt",
                                     "SCIRemoveDataInterrupt",
                                     "SCIWaitForDataInterrupt",
                                     "SCIConnectDataInterrupt",
                                     "SCIDisconnectDataInterrupt",
                                     "SCITriggerDataInterrupt"};

constexpr const char* kWayOut =
    "repair it, remove it from the search path, or use --sisci-library softntb for the emulation";

/// Returns the path of libsoftntb.so. It is searched next to this program or plugin, and in the folders of
/// build and install trees.
std::string find_softntb() {
  return find_project_library(
      reinterpret_cast<const void*>(&find_softntb), kSoftntbFile, "softntb",
      "the software cards are an optional part of the native build: configure it with "
      "-DCOLLBENCH_EMULATED=ON, or give a library with --sisci-library");
}

/// Returns the path, or the file name for dlopen(), of the machine's libsisci.so. nullopt if there is none; a
/// library that cannot be loaded is returned too, so that opening it reports the error.
std::optional<std::string> find_real() {
  for (const auto& folder : folders_in("LD_LIBRARY_PATH"))
    if (const auto file = folder / kFileName; access(file.c_str(), F_OK) == 0) return file.string();
  for (const char* folder : kInstallFolders) {
    const std::string candidate = std::string(folder) + "/" + kFileName;
    if (access(candidate.c_str(), F_OK) == 0) return candidate;
  }
  // Searches the loader's cache. The library named in the error message shows whether libsisci.so itself is
  // missing or broken.
  if (void* handle = dlopen(kFileName, RTLD_NOW | RTLD_LOCAL)) {
    dlclose(handle);
    return kFileName;
  }
  const std::string why = dlerror();
  if (why.rfind(std::string(kFileName) + ": cannot open shared object file", 0) == 0) return std::nullopt;
  return kFileName;
}

/// Throws if the machine has a Dolphin adapter. Call it if no libsisci.so was found: the emulation must not
/// silently replace a real adapter.
/// @throws Error(kUnavailable)
void refuse_unused_card() {
  const auto card = find_card();
  if (!card) return;
  throw Error(ErrorCode::kUnavailable,
              "there is a Dolphin adapter (" + *card + "), and no " + kFileName +
                  "; install Dolphin's eXpressWare, give the library with --sisci-library, or take --medium "
                  "emulated");
}

void* find_symbol(void* handle, const char* name) {
  for (const char* prefix : {"_SISCI_PUBLIC_FUNC_MT_", "_SISCI_PUBLIC_FUNC_ST_", ""})
    if (void* symbol = dlsym(handle, (std::string(prefix) + name).c_str())) return symbol;
  return nullptr;
}

template <typename Function>
void assign(Function& target, void* symbol) {
  static_assert(sizeof target == sizeof symbol);
  std::memcpy(&target, &symbol, sizeof symbol);
}

void resolve(SisciLibrary& library, void* handle) {
#define SISCI_FUNCTION(ret, name, params, args) assign(library.name, find_symbol(handle, #name));
#include "vendor_api/sisci/sisci_functions.def"
#undef SISCI_FUNCTION
  for (const char* name : kRequired)
    if (find_symbol(handle, name) == nullptr)
      throw Error(ErrorCode::kUnavailable, library.path + " has no symbol " + name +
                                               ", so it is not a usable SISCI library; " + kWayOut);
#define SISCI_CONSTANT(name, value)                                                      \
  if (const void* found = dlsym(handle, "_SISCI_PUBLIC_CONST_" #name); found != nullptr) \
    library.constants.name = *static_cast<const unsigned int*>(found);
#include "vendor_api/sisci/sisci_constants.def"
#undef SISCI_CONSTANT
}

std::string query_version(const SisciLibrary& library) {
  char text[256] = "";
  sci_query_string_t query{text, sizeof text};
  sci_error_t error = SCI_ERR_OK;
  library.SCIQuery(library.constants.SCI_Q_SISCI_DRIVER_VERSION, &query, 0, &error);
  return error == SCI_ERR_OK ? std::string(text, strnlen(text, sizeof text)) : "";
}

std::shared_ptr<const SisciLibrary> open_file(const std::string& path, const TransportOptions& options) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string why = dlerror();
    throw Error(ErrorCode::kUnavailable, path + " cannot be loaded: " + why + "; " + kWayOut);
  }
  auto library = std::make_shared<SisciLibrary>();
  library->path = path;
  resolve(*library, handle);  // the handle is never closed: see SisciLibrary
  if (path.find(kSoftntbFile) != std::string::npos) {
    library->medium = Medium::kEmulated;
    setenv("SOFTNTB_FABRIC", options.token.empty() ? "default" : options.token.c_str(), 1);
    setenv("SOFTNTB_LINK", options.link.empty() ? "none" : options.link.c_str(), 1);
    setenv("SOFTNTB_FAULT", options.fault.c_str(), 1);
  }
  sci_error_t error = SCI_ERR_OK;
  library->SCIInitialize(0, &error);
  if (error != SCI_ERR_OK) {
    const std::string code = library->error_text(error);
    library->SCITerminate = nullptr;
    const std::string settings = library->medium == Medium::kEmulated
                                     ? "link model \"" + options.link + "\", faults \"" + options.fault + "\""
                                     : std::string("is the Dolphin driver loaded? ") + kWayOut;
    throw Error(ErrorCode::kUnavailable,
                path + ": SCIInitialize failed with " + code + " (" + settings + ")");
  }
  library->version = query_version(*library);
  if (library->version.find(kSoftntbName) != std::string::npos) library->medium = Medium::kEmulated;
  return library;
}

struct OpenLibrary {
  std::string settings;
  std::weak_ptr<const SisciLibrary> library;
};

constexpr const char* kDolphin = "0x11c8";

bool is_dolphin(const std::filesystem::path& device) {
  std::string vendor;
  return static_cast<bool>(std::ifstream(device / "vendor") >> vendor) && vendor == kDolphin;
}

}  // namespace

SisciLibrary::~SisciLibrary() {
  if (SCITerminate != nullptr) SCITerminate();
}

std::string SisciLibrary::error_text(sci_error_t error) const {
  const char* name = nullptr;
  switch (error) {
#define SISCI_ERROR(id, value, text) \
  case value:                        \
    name = #id;                      \
    break;
#include "vendor_api/sisci/sisci_errors.def"
#undef SISCI_ERROR
    default:
      break;
  }
  char text[96];
  std::snprintf(text, sizeof text, "%s (0x%x)", name != nullptr ? name : "an unknown SISCI error", error);
  return text;
}

std::shared_ptr<const SisciLibrary> open_library(const TransportOptions& options) {
  static std::mutex mutex;
  static OpenLibrary open;
  const std::lock_guard lock(mutex);
  std::string path;
  if (options.library == kSoftntbName) {
    path = find_softntb();
  } else if (!options.library.empty()) {
    path = options.library;
  } else {
    const auto real = find_real();
    if (!real) refuse_unused_card();
    path = real ? *real : find_softntb();
  }
  const bool emulated = path.find(kSoftntbFile) != std::string::npos;
  const std::string settings =
      emulated ? path + "|" + options.token + "|" + options.link + "|" + options.fault : path;
  if (auto library = open.library.lock()) {
    if (open.settings == settings) return library;
    throw Error(ErrorCode::kInvalidArgument,
                "one process holds one SISCI library at a time: " + library->path +
                    " is loaded with other settings (fabric, link model or faults); close it first");
  }
  auto library = open_file(path, options);
  open = {settings, library};
  return library;
}

void check(const SisciLibrary& library, sci_error_t error, const char* call, const std::string& what) {
  if (error == SCI_ERR_OK) return;
  const bool lost = error == SCI_ERR_NO_LINK_ACCESS || error == SCI_ERR_NO_REMOTE_LINK_ACCESS ||
                    error == SCI_ERR_NODE_NOT_RESPONDING || error == SCI_ERR_TRANSFER_FAILED ||
                    error == SCI_ERR_NOT_CONNECTED || error == SCI_ERR_SEGMENT_NOT_CONNECTED;
  throw Error(lost ? ErrorCode::kConnectionLost : ErrorCode::kUnavailable,
              std::string(call) + " of " + what + " failed with " + library.error_text(error));
}

std::optional<std::string> find_card(const std::string& devices) {
  std::error_code missing;
  std::vector<std::filesystem::path> there;
  for (const auto& entry : std::filesystem::directory_iterator(devices, missing))
    there.push_back(entry.path());
  std::sort(there.begin(), there.end());
  const auto card = std::find_if(there.begin(), there.end(), is_dolphin);
  return card == there.end() ? std::nullopt : std::optional(card->filename().string());
}

}  // namespace collbench::sisci
