#ifndef COLLBENCH_DEVICE_API_ABI_H
#define COLLBENCH_DEVICE_API_ABI_H
// The shared object that nvcc makes of collectives.cu on the node, as the engine sees it. Its text stands
// before collectives.cu in what is compiled, hence no #pragma once.
#include <stddef.h>

// NOLINTBEGIN(modernize-use-using)
extern "C" {

/// Functions of the libnccl that the communicator is from: the object links to none.
struct CollbenchDeviceFunctions {
  int (*create)(void* comm, const void* requirements, void* device_comm);  // ncclDevCommCreate
  int (*destroy)(void* comm, const void* device_comm);                     // ncclDevCommDestroy
};

enum CollbenchDeviceReach { kCollbenchDeviceLsa = 1, kCollbenchDeviceGin = 2 };
enum CollbenchDeviceCollective { kCollbenchDeviceAllreduce, kCollbenchDeviceAlltoall };
/// What allreduce adds; alltoall takes any element.
enum CollbenchDeviceType { kCollbenchDeviceFloat32, kCollbenchDeviceFloat16, kCollbenchDeviceBfloat16 };

struct CollbenchDeviceCall {
  int collective;
  int type;
  size_t element_bytes;
  size_t count;       // as ncclAllReduce's and ncclAlltoAll's
  void* send_window;  // ncclWindow_t, symmetric; offsets in bytes, the same on all ranks
  size_t send_offset;
  void* recv_window;
  size_t recv_offset;
  void* stream;
};

/// All ranks together. 0: *handle is for launch and destroy. Above 0: ncclResult_t of NCCL's. Below 0: `why`,
/// of why_bytes, has the sentence.
typedef int (*CollbenchDeviceCreate)(const struct CollbenchDeviceFunctions* functions, void* comm, int ranks,
                                     int reach, void** handle, char* why, size_t why_bytes);
/// Queues one call; results as those of create.
typedef int (*CollbenchDeviceLaunch)(void* handle, const struct CollbenchDeviceCall* call, char* why,
                                     size_t why_bytes);
/// Frees; with_nccl 0 where the communicator has been aborted.
typedef void (*CollbenchDeviceDestroy)(void* handle, int with_nccl);
}
// NOLINTEND(modernize-use-using)

#endif
