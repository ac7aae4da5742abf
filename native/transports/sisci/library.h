#pragma once
// libsisci.so as a table of functions, opened at run time, so that one binary serves machines with and
// without a Dolphin adapter. softntb (our emulation) is opened only if there is neither a libsisci.so nor a
// card, or on request.
#include <memory>
#include <optional>
#include <string>

#include "transports/transport.h"
#include "vendor_api/sisci/sisci_api.h"

namespace collbench::sisci {

/// Numeric values of SISCI's flags and commands. Defaults are compiled in; where the opened library exports a
/// variable of that name, its value is used instead.
struct Constants {
#define SISCI_CONSTANT(name, value) unsigned int name = value;
#include "vendor_api/sisci/sisci_constants.def"
#undef SISCI_CONSTANT
};

/// An opened and initialised SISCI library. All transports of the process with equal settings share it. The
/// last of them terminates it (SCITerminate), but it stays loaded, because it may have threads.
struct SisciLibrary {
#define SISCI_FUNCTION(ret, name, params, args) ret(*name) params = nullptr;
#include "vendor_api/sisci/sisci_functions.def"
#undef SISCI_FUNCTION
  Constants constants;
  std::string path;     // file of the opened library
  std::string version;  // answer to SCI_Q_SISCI_DRIVER_VERSION; "" if none
  Medium medium = Medium::kHardware;

  SisciLibrary() = default;
  SisciLibrary(const SisciLibrary&) = delete;
  SisciLibrary& operator=(const SisciLibrary&) = delete;
  ~SisciLibrary();

  /// Returns name and number of an error code: "SCI_ERR_NO_SUCH_SEGMENT (0x4000090c)".
  [[nodiscard]] std::string error_text(sci_error_t error) const;
};

inline constexpr const char* kSoftntbName = "softntb";

/// Opens and initialises the SISCI library. `options.library` selects it: "" = the one of this machine, or
/// softntb if there is neither a library nor an adapter; "softntb" = the emulation; otherwise a path. A
/// library that is open with the same settings is shared.
/// @throws Error(kUnavailable) naming the file and what is wrong; a libsisci.so that exists but does not work
/// is an error too. Error(kInvalidArgument) if the process has a library open with other settings
std::shared_ptr<const SisciLibrary> open_library(const TransportOptions& options);

/// Throws if a SISCI call has failed.
/// @param error error code that the call returned
/// @param call name of the SISCI function
/// @param what segment, size or other object that the call was for, as text for the message
/// @throws Error unless `error` is SCI_ERR_OK: kConnectionLost if link or peer failed, kUnavailable otherwise
void check(const SisciLibrary& library, sci_error_t error, const char* call, const std::string& what);

/// Returns the PCI address of the first Dolphin adapter, whether or not a driver serves it; nullopt if the
/// machine has none or PCI devices cannot be listed.
/// @param devices sysfs folder of PCI devices
std::optional<std::string> find_card(const std::string& devices = "/sys/bus/pci/devices");

}  // namespace collbench::sisci
