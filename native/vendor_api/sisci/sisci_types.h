#ifndef COLLBENCH_SISCI_TYPES_H
#define COLLBENCH_SISCI_TYPES_H
/* Types of the SISCI API 2.x; written from public facts, not copied from Dolphin's header. Structs that API 1
 * does not have (dis_dma_vec_t, sci_query_dma_t, sci_query_map_t, sci_dma_capabilities_t) have the field
 * order of public callers. */
#include <stddef.h>

#include "sisci_error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sci_desc* sci_desc_t;
typedef struct sci_local_segment* sci_local_segment_t;
typedef struct sci_remote_segment* sci_remote_segment_t;
typedef struct sci_map* sci_map_t;
typedef struct sci_sequence* sci_sequence_t;
typedef struct sci_dma_queue* sci_dma_queue_t;
typedef struct sci_dma_channel* sci_dma_channel_t;
typedef struct sci_local_interrupt* sci_local_interrupt_t;
typedef struct sci_remote_interrupt* sci_remote_interrupt_t;
typedef struct sci_local_data_interrupt* sci_local_data_interrupt_t;
typedef struct sci_remote_data_interrupt* sci_remote_data_interrupt_t;
typedef unsigned long long sci_ioaddr_t;

typedef enum {
  SCI_CB_CONNECT = 1,
  SCI_CB_DISCONNECT = 2,
  SCI_CB_NOT_OPERATIONAL = 3,
  SCI_CB_OPERATIONAL = 4,
  SCI_CB_LOST = 5
} sci_segment_cb_reason_t;

typedef enum {
  SCI_DMAQUEUE_IDLE = 0,
  SCI_DMAQUEUE_GATHER = 1,
  SCI_DMAQUEUE_POSTED = 2,
  SCI_DMAQUEUE_DONE = 3,
  SCI_DMAQUEUE_ABORTED = 4,
  SCI_DMAQUEUE_ERROR = 5
} sci_dma_queue_state_t;

typedef enum {
  SCI_SEQ_OK = 0,
  SCI_SEQ_RETRIABLE = 1,
  SCI_SEQ_NOT_RETRIABLE = 2,
  SCI_SEQ_PENDING = 3
} sci_sequence_status_t;

typedef enum { SCI_CALLBACK_CANCEL = 1, SCI_CALLBACK_CONTINUE = 2 } sci_callback_action_t;

typedef enum {
  SCI_DMA_TYPE_DONTCARE = 1,
  SCI_DMA_TYPE_ADAPTER = 2,
  SCI_DMA_TYPE_GLOBAL = 3,
  SCI_DMA_TYPE_SYSTEM = 4,
  SCI_DMA_TYPE_TRANSPARENT = 5
} sci_dma_type_t;

typedef struct {
  unsigned int size;
  unsigned int local_offset;
  unsigned int remote_offset;
  unsigned int flags;
} dis_dma_vec_t;

typedef struct {
  char* str;
  unsigned int length; /* in: bytes at str, terminating zero included */
} sci_query_string_t;

typedef struct {
  unsigned int localAdapterNo;
  unsigned int portNo;
  unsigned int subcommand;
  void* data; /* unsigned int */
} sci_query_adapter_t;

typedef struct {
  unsigned int subcommand;
  void* data; /* unsigned int */
} sci_query_system_t;

typedef struct {
  unsigned int localAdapterNo;
  unsigned int subcommand;
  void* data; /* unsigned int or sci_dma_capabilities_t */
} sci_query_dma_t;

typedef struct {
  sci_local_segment_t segment;
  unsigned int subcommand;
  union {
    sci_ioaddr_t ioaddr;
  } data;
} sci_query_local_segment_t;

typedef struct {
  sci_remote_segment_t segment;
  unsigned int subcommand;
  union {
    sci_ioaddr_t ioaddr;
  } data;
} sci_query_remote_segment_t;

typedef struct {
  sci_map_t map;
  unsigned int subcommand;
  unsigned long long data;
} sci_query_map_t;

typedef struct {
  unsigned int num_channels;
  unsigned int max_transfer_size; /* bytes */
  unsigned int max_vector_length; /* entries of a dis_dma_vec_t array */
  unsigned int support_mem2io;
  unsigned int support_io2mem;
  unsigned int support_io2io;
  unsigned int min_align_bytes;
  unsigned int suggested_align_bytes;
} sci_dma_capabilities_t;

/* Callbacks run on a thread of the library and need SCI_FLAG_USE_CALLBACK on the call that installs them. */
typedef sci_callback_action_t (*sci_cb_local_segment_t)(void* arg, sci_local_segment_t segment,
                                                        sci_segment_cb_reason_t reason, unsigned int nodeId,
                                                        unsigned int localAdapterNo, sci_error_t error);
typedef sci_callback_action_t (*sci_cb_remote_segment_t)(void* arg, sci_remote_segment_t segment,
                                                         sci_segment_cb_reason_t reason, sci_error_t status);
typedef sci_callback_action_t (*sci_cb_dma_t)(void* arg, sci_dma_queue_t queue, sci_error_t status);
typedef sci_callback_action_t (*sci_cb_interrupt_t)(void* arg, sci_local_interrupt_t interrupt,
                                                    sci_error_t status);
typedef sci_callback_action_t (*sci_cb_data_interrupt_t)(void* arg, sci_local_data_interrupt_t interrupt,
                                                         void* data, unsigned int length, sci_error_t status);

#ifdef __cplusplus
}
#endif
#endif
