#pragma once
// libsisci.so as a table of functions, opened at run time, so that one binary serves machines with and
// without a Dolphin adapter. softntb (our emulation) is opened only if there is neither a libsisci.so nor a
// card, or on request.
#include <memory>
#include <string>

#include "softntb/include/sisci_api.h"
#include "transports/transport.h"

namespace collbench::sisci {

/// Values of flags and commands. The real library exports them as variables, which are read if they exist.
struct Constants {
#define SISCI_CONSTANT(name, value) unsigned int name = value;
#include "softntb/include/sisci_constants.def"
#undef SISCI_CONSTANT
};

/// One opened and initialised SISCI library, shared by all transports of the process with equal settings. It
/// is terminated with the last of them and stays loaded, because it may own threads.
struct Library {
#define SISCI_FUNCTION(ret, name, params, args) ret(*name) params = nullptr;
#include "softntb/include/sisci_functions.def"
#undef SISCI_FUNCTION
  Constants constants;
  std::string path;     // file of the opened library
  std::string version;  // answer to SCI_Q_SISCI_DRIVER_VERSION; "" if none
  Medium medium = Medium::kHardware;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library();

  /// Name and number of an error code: "SCI_ERR_NO_SUCH_SEGMENT (0x4000090c)".
  [[nodiscard]] std::string error_text(sci_error_t error) const;
};

inline constexpr const char* kSoftntbName = "softntb";

/// Opens and initialises the library that `options.library` names: "" = search, "softntb" = the emulation.
/// @throws Error(kUnavailable) naming the file and its fault; a broken libsisci.so is an error and never
/// skipped
std::shared_ptr<const Library> open_library(const TransportOptions& options);

/// @throws Error naming the call, the code and `what` unless `error` is SCI_ERR_OK
void check(const Library& library, sci_error_t error, const char* call, const std::string& what);

}  // namespace collbench::sisci
