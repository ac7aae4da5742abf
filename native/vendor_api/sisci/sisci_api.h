#ifndef COLLBENCH_SISCI_API_H
#define COLLBENCH_SISCI_API_H
/* The part of the SISCI API 2.x that collbench uses and softntb provides; written from public facts, not
 * copied from Dolphin's header. Nearly every function returns nothing and reports through its last argument,
 * which must not be NULL. Real libsisci exports `_SISCI_PUBLIC_FUNC_ST_<name>` and
 * `_SISCI_PUBLIC_FUNC_MT_<name>`; softntb also exports the plain names. Programs that open either with dlopen
 * build their table from sisci_functions.def:
 *
 *   struct Sisci {
 *   #define SISCI_FUNCTION(ret, name, params, args) ret(*name) params = nullptr;
 *   #include "vendor_api/sisci/sisci_functions.def"
 *   #undef SISCI_FUNCTION
 *   };
 */
#include "sisci_error.h"
#include "sisci_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SISCI_CONSTANT(name, value) static const unsigned int name = (value);
#include "sisci_constants.def"
#undef SISCI_CONSTANT

#define SISCI_FUNCTION(ret, name, params, args) ret name params;
#include "sisci_functions.def"
#undef SISCI_FUNCTION

#ifdef __cplusplus
}
#endif
#endif
