#ifndef COLLBENCH_EMULATED_CARDS_H
#define COLLBENCH_EMULATED_CARDS_H
/* Functions of the software cards beyond the interfaces of the vendors' libraries: the only header of this
 * room that other rooms include. They look the functions up at run time and link no card. */

#ifdef __cplusplus
extern "C" {
#endif

/* softntb: libsoftntb.so exports these functions. A library that exports softntb_link_model is softntb, not
 * hardware. */

typedef struct {
  const char* name;        /* value for SOFTNTB_LINK */
  const char* summary;     /* one line */
  unsigned int generation; /* PCIe generation; 0 for "none" */
  unsigned int lanes;      /* number of PCIe lanes; 0 for "none" */
} softntb_link_model_t;

/* Describes link model number `index`, counted from 0: returns 1 and fills `model` (static strings), or 0 if
 * there are not so many. */
int softntb_link_model(unsigned int index, softntb_link_model_t* model);

/* Checks values of SOFTNTB_LINK and SOFTNTB_FAULT (NULL = ""). Returns 1 if both are valid; otherwise 0,
 * and `problem` (may be NULL) receives one line with the invalid value and the allowed ones, cut to
 * `problem_bytes`. */
int softntb_check_settings(const char* link, const char* fault, char* problem, unsigned int problem_bytes);

/* softmlx5: libsoftmlx5.so and both look-alikes export these functions. A library that exports
 * softmlx5_link_model is softmlx5, not hardware. Settings are read from the environment (softmlx5/README.md)
 * when the first device list is made. */

typedef struct {
  const char* name;    /* value for SOFTMLX5_LINK */
  const char* summary; /* one line */
  double gbps;         /* nominal data rate of one direction of the port in Gbit/s; 0 for "none" */
} softmlx5_link_model_t;

/* Describes link model number `index`, counted from 0: returns 1 and fills `model` (static strings), or 0 if
 * there are not so many. */
int softmlx5_link_model(unsigned int index, softmlx5_link_model_t* model);

/* Checks values of SOFTMLX5_LINK and SOFTMLX5_FAULT (NULL = ""). Returns 1 if both are valid; otherwise 0,
 * and `problem` (may be NULL) receives one line with the invalid value and the allowed ones, cut to
 * `problem_bytes`. */
int softmlx5_check_settings(const char* link, const char* fault, char* problem, unsigned int problem_bytes);

/* Carries out ready work in the calling thread. A program that polls completion entries itself, without
 * poll_cq, calls it instead of waiting for the library's thread. */
void softmlx5_progress(void);

/* Counts of a queue pair since it was created, or of the port since the emulated adapter was; bytes are
 * payload. packets_received of a queue pair is always 0. */
typedef struct {
  unsigned long long bytes_sent, bytes_received, packets_sent, packets_received;
  unsigned long long requests;    /* entries carried out, without NOP, WAIT, DUMP; 0 for the port */
  unsigned long long doorbells;   /* doorbells seen; several between two reads count as one; 0 for the port */
  unsigned long long errors;      /* completions with an error; 0 for the port */
  unsigned long long dc_connects; /* times a DC initiator connected to a target other than the previous one */
} softmlx5_counters_t;

/* Reads the counters of queue pair `number` of this process, or of the port if `number` is 0. Returns 1, or 0
 * if there is none. */
int softmlx5_counters(unsigned int number, softmlx5_counters_t* counters);

#ifdef __cplusplus
}
#endif
#endif
