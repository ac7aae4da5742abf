#pragma once
#include <string>

#include "emulated/conformance/check.h"
#include "vendor_api/sisci/sisci_api.h"

namespace collbench::conformance::sisci {

/// A function of the SISCI library under test. Calling it when the library lacks it skips the test.
template <typename Signature>
struct Function;
template <typename Result, typename... Parameters>
struct Function<Result(Parameters...)> {
  const char* name;
  Result (*at)(Parameters...) = nullptr;

  template <typename... Arguments>
  Result operator()(Arguments... arguments) const {
    if (at == nullptr) throw TestSkipped{std::string("the library has no ") + name};
    return at(arguments...);
  }
  /// Calls a function of SISCI whose last parameter receives its error code.
  /// @param arguments all arguments except that last one
  /// @returns the error code; kUntouched if the function stored none
  template <typename... Arguments>
  sci_error_t code(Arguments... arguments) const {
    sci_error_t error = kUntouched;
    (*this)(arguments..., &error);
    return error;
  }
  static constexpr sci_error_t kUntouched = 0xdead;
};

/// Functions and constants of the libsisci under test.
struct SisciLibrary {
#define SISCI_FUNCTION(ret, name, params, args) Function<ret params> name{#name};
#include "vendor_api/sisci/sisci_functions.def"
#undef SISCI_FUNCTION
  /// Values of SISCI's constants. If the library exports a variable with a constant's name, its value is
  /// used; otherwise the one compiled in here.
#define SISCI_CONSTANT(name, value) unsigned int name = value;
#include "vendor_api/sisci/sisci_constants.def"
#undef SISCI_CONSTANT
  void* handle = nullptr;  // handle from dlopen
  bool is_emulated = false;

  /// Opens the SISCI library to test, but does not call SCIInitialize.
  /// @param path the library, a folder with libsisci.so, or "" for the one that the loader finds or that is
  /// in Dolphin's folder
  /// @throws TestFailure if it cannot be opened
  static SisciLibrary open(const std::string& path);
  /// Returns the address of a function; nullptr if the library lacks it. It is searched under the name for
  /// multi-threaded programs ("_SISCI_PUBLIC_FUNC_MT_SCIOpen"), the one for single-threaded programs, and the
  /// plain name.
  [[nodiscard]] void* find(const std::string& function) const;
};

/// Returns name and number of an error code, "SCI_ERR_BUSY (0x40000900)"; "no named code (0x...)" if it has
/// no public name, "no code stored" for Function::kUntouched.
std::string code_text(sci_error_t error);

/// Fails the running test unless the SISCI error code `seen` is one of those allowed.
/// @param what the call, for the message
/// @throws TestFailure
void expect_code(const std::string& what, std::initializer_list<sci_error_t> allowed, sci_error_t seen);
inline void expect_ok(const std::string& what, sci_error_t seen) { expect_code(what, {SCI_ERR_OK}, seen); }
/// Fails the test if `seen` is SCI_ERR_OK, or if the call stored no code. For invalid arguments whose error
/// code the interface does not define.
/// @throws TestFailure
void expect_refused(const std::string& what, sci_error_t seen);
/// Checks the result of a call of an optional feature.
/// @throws TestSkipped for codes which mean that adapter or driver lacks the feature; TestFailure for other
/// errors
void expect_offered(const std::string& what, sci_error_t seen);

}  // namespace collbench::conformance::sisci
