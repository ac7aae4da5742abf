#include "emulated/conformance/sisci/library.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace collbench::conformance::sisci {
namespace {

constexpr const char* kFile = "libsisci.so";
/// Functions that every test needs; a library that lacks one is not tested.
constexpr const char* kBasic[] = {"SCIInitialize", "SCITerminate", "SCIOpen", "SCIClose",
                                  "SCIGetLocalNodeId"};
constexpr const char* kInstalled[] = {kFile, "/opt/DIS/lib64/libsisci.so", "/opt/DIS/lib/libsisci.so"};

void* open_file(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw TestFailure{"the library " + path + " loads", dlerror()};
  return handle;
}

void* open_installed() {
  for (const char* path : kInstalled)
    if (void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return handle;
  throw TestFailure{std::string("a library ") + kFile + " in the loader's path or /opt/DIS", dlerror()};
}

template <typename Signature>
void fill(Function<Signature>& function, void* symbol) {
  static_assert(sizeof function.at == sizeof symbol);
  std::memcpy(&function.at, &symbol, sizeof symbol);
}

}  // namespace

SisciLibrary SisciLibrary::open(const std::string& path) {
  SisciLibrary library;
  struct stat facts{};
  const bool is_folder = stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  library.handle = path.empty() ? open_installed() : open_file(is_folder ? path + "/" + kFile : path);
  for (const char* name : kBasic)
    if (library.find(name) == nullptr)
      throw TestFailure{
          std::string("a symbol ") + name + ", also with the prefix _SISCI_PUBLIC_FUNC_MT_ or _ST_", "none"};
#define SISCI_FUNCTION(ret, name, params, args) fill(library.name, library.find(#name));
#include "vendor_api/sisci/sisci_functions.def"
#undef SISCI_FUNCTION
#define SISCI_CONSTANT(name, value)                                            \
  if (const void* found = dlsym(library.handle, "_SISCI_PUBLIC_CONST_" #name)) \
    library.name = *static_cast<const unsigned int*>(found);
#include "vendor_api/sisci/sisci_constants.def"
#undef SISCI_CONSTANT
  library.is_emulated = dlsym(library.handle, "softntb_link_model") != nullptr;
  return library;
}

void* SisciLibrary::find(const std::string& function) const {
  for (const char* prefix : {"_SISCI_PUBLIC_FUNC_MT_", "_SISCI_PUBLIC_FUNC_ST_", ""})
    if (void* symbol = dlsym(handle, (prefix + function).c_str())) return symbol;
  return nullptr;
}

std::string code_text(sci_error_t error) {
  const char* name = "no named code";
  switch (error) {
#define SISCI_ERROR(id, value, text) \
  case value:                        \
    name = #id;                      \
    break;
#include "vendor_api/sisci/sisci_errors.def"
#undef SISCI_ERROR
    case Function<void()>::kUntouched:
      return "no code stored";
    default:
      break;
  }
  char number[16];
  std::snprintf(number, sizeof number, " (0x%x)", error);
  return name + std::string(number);
}

void expect_code(const std::string& what, std::initializer_list<sci_error_t> allowed, sci_error_t seen) {
  std::string expected;
  for (const sci_error_t one : allowed) {
    if (one == seen) return;
    expected += (expected.empty() ? "" : " or ") + code_text(one);
  }
  throw TestFailure{what + ": " + expected, code_text(seen)};
}

void expect_refused(const std::string& what, sci_error_t seen) {
  const bool is_code = seen != SCI_ERR_OK && seen != Function<void()>::kUntouched;
  expect(is_code, what + ": an error", code_text(seen));
}

void expect_offered(const std::string& what, sci_error_t seen) {
  constexpr sci_error_t kAbsent[] = {SCI_ERR_NOT_IMPLEMENTED, SCI_ERR_FLAG_NOT_IMPLEMENTED,
                                     SCI_ERR_NOT_SUPPORTED,   SCI_ERR_NOT_AVAILABLE,
                                     SCI_ERR_DEPRECATED,      SCI_ERR_HW_NOSPC};
  if (std::find(std::begin(kAbsent), std::end(kAbsent), seen) != std::end(kAbsent))
    throw TestSkipped{what + ": " + code_text(seen)};
  expect_ok(what, seen);
}

}  // namespace collbench::conformance::sisci
