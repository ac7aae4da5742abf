#ifndef COLLBENCH_SISCI_ERROR_H
#define COLLBENCH_SISCI_ERROR_H
/* SISCI error codes as sci_error_t values; written from public facts, not copied from Dolphin's header. */

/* An unsigned int rather than an enum: a real libsisci may answer codes that are not listed here. */
typedef unsigned int sci_error_t;

#define SISCI_ERROR(name, value, text) static const sci_error_t name = (value);
#include "sisci_errors.def"
#undef SISCI_ERROR

#endif
