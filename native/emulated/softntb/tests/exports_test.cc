#include <dlfcn.h>
#include <doctest/doctest.h>

#include <string>

#include "vendor_api/sisci/sisci_api.h"

TEST_CASE("the library shows every function under its plain, ST and MT name and every constant") {
  void* library = dlopen(SOFTNTB_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(library != nullptr, dlerror());
#define SISCI_FUNCTION(ret, name, params, args)                     \
  CHECK(dlsym(library, #name) != nullptr);                          \
  CHECK(dlsym(library, "_SISCI_PUBLIC_FUNC_ST_" #name) != nullptr); \
  CHECK(dlsym(library, "_SISCI_PUBLIC_FUNC_MT_" #name) != nullptr);
#include "vendor_api/sisci/sisci_functions.def"
#undef SISCI_FUNCTION
#define SISCI_CONSTANT(name, value)                                                                    \
  {                                                                                                    \
    const auto* constant = static_cast<const unsigned*>(dlsym(library, "_SISCI_PUBLIC_CONST_" #name)); \
    REQUIRE(constant != nullptr);                                                                      \
    CHECK(*constant == name);                                                                          \
  }
#include "vendor_api/sisci/sisci_constants.def"
#undef SISCI_CONSTANT
  CHECK(dlsym(library, "softntb_link_model") != nullptr);
  CHECK(dlsym(library, "_ZN9collbench7softntb7threadsEv") == nullptr);  // internal functions are not exported

  auto* error_string = reinterpret_cast<decltype(&SCIGetErrorString)>(
      dlsym(library, "_SISCI_PUBLIC_FUNC_MT_SCIGetErrorString"));
  CHECK(std::string(error_string(SCI_ERR_BUSY)) == "Resource busy");
  dlclose(library);
}
