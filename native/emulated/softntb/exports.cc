// The mangled names that programs linked against libsisci need, generated from the list of functions and
// constants.
#include "vendor_api/sisci/sisci_api.h"

extern "C" {

#define SISCI_FUNCTION(ret, name, params, args)                 \
  ret _SISCI_PUBLIC_FUNC_ST_##name params { return name args; } \
  ret _SISCI_PUBLIC_FUNC_MT_##name params { return name args; }
#include "vendor_api/sisci/sisci_functions.def"
#undef SISCI_FUNCTION

#define SISCI_CONSTANT(name, value)                     \
  extern const unsigned int _SISCI_PUBLIC_CONST_##name; \
  const unsigned int _SISCI_PUBLIC_CONST_##name = value;
#include "vendor_api/sisci/sisci_constants.def"
#undef SISCI_CONSTANT

}  // extern "C"
