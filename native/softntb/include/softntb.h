#ifndef COLLBENCH_SOFTNTB_H
#define COLLBENCH_SOFTNTB_H
/* Functions of softntb beyond the SISCI API. A library that exports softntb_link_model is softntb, not
 * hardware. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* name;        /* for SOFTNTB_LINK */
  const char* summary;     /* one line */
  unsigned int generation; /* of PCIe; 0 for "none" */
  unsigned int lanes;
} softntb_link_model_t;

/* Model number `index` from 0; returns 1 and fills `model` (static strings), or 0 past the last. */
int softntb_link_model(unsigned int index, softntb_link_model_t* model);

/* Checks values of SOFTNTB_LINK and SOFTNTB_FAULT (NULL = ""). Returns 1 if both are valid; otherwise 0,
 * and `problem` (may be NULL) receives one line with the fault and the allowed values, cut to
 * `problem_bytes`. */
int softntb_check_settings(const char* link, const char* fault, char* problem, unsigned int problem_bytes);

#ifdef __cplusplus
}
#endif
#endif
