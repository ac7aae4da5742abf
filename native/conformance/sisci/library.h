#pragma once
#include <string>

#include "conformance/check.h"
#include "softntb/include/sisci_api.h"

namespace collbench::conformance::sisci {

/// A function of the library. Calling one that the library lacks skips the test.
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
  /// Calls a function that reports its error through the last argument, which is left out of `arguments`.
  /// @returns the code
  template <typename... Arguments>
  sci_error_t code(Arguments... arguments) const {
    sci_error_t error = kUntouched;
    (*this)(arguments..., &error);
    return error;
  }
  static constexpr sci_error_t kUntouched = 0xdead;
};

/// Functions of libsisci.
struct Library {
#define SISCI_FUNCTION(ret, name, params, args) Function<ret params> name{#name};
#include "softntb/include/sisci_functions.def"
#undef SISCI_FUNCTION
  /// Constants by value. The real library exports them as variables; those it lacks keep our values.
#define SISCI_CONSTANT(name, value) unsigned int name = value;
#include "softntb/include/sisci_constants.def"
#undef SISCI_CONSTANT
  void* handle = nullptr;  // handle from dlopen
  bool is_emulated = false;

  /// Opens the library without calling SCIInitialize. @param path the library, the folder with libsisci.so,
  /// or "" for the one that the loader or Dolphin's folder has
  /// @throws TestFailure
  static Library open(const std::string& path);
  /// Address of a function by its name "_SISCI_PUBLIC_FUNC_MT_SCIOpen", its single-threaded name or its plain
  /// name; nullptr: the library lacks it.
  [[nodiscard]] void* find(const std::string& function) const;
};

/// Name of a code: "SCI_ERR_BUSY (0x40000900)"; codes without a public name as a number.
std::string code_text(sci_error_t error);

/// @throws TestFailure
void expect_code(const std::string& what, std::initializer_list<sci_error_t> allowed, sci_error_t seen);
inline void expect_ok(const std::string& what, sci_error_t seen) { expect_code(what, {SCI_ERR_OK}, seen); }
/// Expects any error, for arguments whose error code the interface does not define. @throws TestFailure
void expect_refused(const std::string& what, sci_error_t seen);
/// Expects SCI_ERR_OK. @throws TestSkipped for codes of features that adapter or driver lack
/// @throws TestFailure for others
void expect_offered(const std::string& what, sci_error_t seen);

}  // namespace collbench::conformance::sisci
