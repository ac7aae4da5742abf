#ifndef COLLBENCH_SOFTMLX5_H
#define COLLBENCH_SOFTMLX5_H
/* What softmlx5 can do beyond the interfaces of libibverbs and libmlx5; libsoftmlx5.so and both look-alikes
 * export it. A library that exports softmlx5_link_model is softmlx5, not hardware. Settings are read from the
 * environment (README.md) when the first device list is
 * made. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* name;    /* for SOFTMLX5_LINK */
  const char* summary; /* one line */
  double gbps;         /* of one direction of the port; 0 for "none" */
} softmlx5_link_model_t;

/* Model number `index` from 0; returns 1 and fills `model` (static strings), or 0 past the last. */
int softmlx5_link_model(unsigned int index, softmlx5_link_model_t* model);

/* Checks values of SOFTMLX5_LINK and SOFTMLX5_FAULT (NULL = ""). Returns 1 when both are understood; else 0,
 * and `problem` (may be NULL) gets one line that says what is wrong and what is allowed, cut to
 * `problem_bytes`. */
int softmlx5_check_settings(const char* link, const char* fault, char* problem, unsigned int problem_bytes);

/* Carries out what is ready in the calling thread: a program that polls completion entries by itself, without
 * poll_cq, moves its bytes so instead of waiting for the library's thread. */
void softmlx5_progress(void);

/* Counted since the queue was made, or since the card was: bytes are payload. */
typedef struct {
  unsigned long long bytes_sent, bytes_received, packets_sent, packets_received;
  unsigned long long requests;    /* entries carried out, without NOP and WAIT; 0 for the port */
  unsigned long long doorbells;   /* seen: several between two looks count as one; 0 for the port */
  unsigned long long errors;      /* completions with an error; 0 for the port */
  unsigned long long dc_connects; /* a DC initiator turned to a target: its first, or another than before */
} softmlx5_counters_t;

/* Of a queue pair of this process by its number; `number` 0: of the port. Returns 1, or 0 where there is
 * none. */
int softmlx5_counters(unsigned int number, softmlx5_counters_t* counters);

#ifdef __cplusplus
}
#endif
#endif
