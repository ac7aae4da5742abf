#pragma once
#include <string>

#include "conformance/check.h"
#include "softntb/include/sisci_api.h"

namespace collbench::conformance::sisci {

/// A function of the library. A test that calls one which the library lacks is skipped.
template <typename Signature>
struct Function;
template <typename Result, typename... Parameters>
struct Function<Result(Parameters...)> {
  const char* name;
  Result (*at)(Parameters...) = nullptr;

  template <typename... Arguments>
  Result operator()(Arguments... arguments) const {
    if (at == nullptr) throw Skipped{std::string("the library has no ") + name};
    return at(arguments...);
  }
  /// For functions that report through their last argument: the code, which is left out of `arguments`.
  template <typename... Arguments>
  sci_error_t code(Arguments... arguments) const {
    sci_error_t error = kUntouched;
    (*this)(arguments..., &error);
    return error;
  }
  static constexpr sci_error_t kUntouched = 0xdead;
};

/// libsisci as a table.
struct Library {
#define SISCI_FUNCTION(ret, name, params, args) Function<ret params> name{#name};
#include "softntb/include/sisci_functions.def"
#undef SISCI_FUNCTION
  /// By value; the real library publishes them as variables. Those that it does not publish keep our values.
#define SISCI_CONSTANT(name, value) unsigned int name = value;
#include "softntb/include/sisci_constants.def"
#undef SISCI_CONSTANT
  void* handle = nullptr;  // as dlopen gave it
  bool is_emulated = false;

  /// `path`: the library, the folder that holds libsisci.so, or "" for the one that the system's loader or
  /// Dolphin's folder has. Does not call SCIInitialize. @throws Failure
  static Library open(const std::string& path);
  /// "_SISCI_PUBLIC_FUNC_MT_SCIOpen", or its single-threaded or plain name; null: the library has none.
  [[nodiscard]] void* find(const std::string& function) const;
};

/// "SCI_ERR_BUSY (0x40000900)"; codes without a public name as they are.
std::string code_text(sci_error_t error);

/// @throws Failure
void expect_code(const std::string& what, std::initializer_list<sci_error_t> allowed, sci_error_t seen);
inline void expect_ok(const std::string& what, sci_error_t seen) { expect_code(what, {SCI_ERR_OK}, seen); }
/// Any error: for arguments whose code the interface does not name. @throws Failure
void expect_refused(const std::string& what, sci_error_t seen);
/// @throws Skipped for the codes of what an adapter or its driver does not have  @throws Failure
void expect_offered(const std::string& what, sci_error_t seen);

}  // namespace collbench::conformance::sisci
