#pragma once
// Functions that libcuda-fake.so exports beside the driver's: for the fakes of NCCL and NVSHMEM, which link
// to it.
#include <cstddef>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

/// Queues `work(argument)` on a stream of device `ordinal`. It runs on the stream's thread and returns a
/// CUresult (not 0: the device's sticky error). A capturing stream records it instead, and each launch of the
/// graph runs it. `release(argument)` is called when it cannot run again, also if this call fails.
/// @returns 0, 400 (no such stream, or another device's), 700 or another sticky error
FAKE_EXPORT int cudaFakeEnqueue(void* stream, int ordinal, int (*work)(void*), void* argument,
                                void (*release)(void*));
/// 1 if the stream is capturing: work queued now runs only when a graph is launched.
FAKE_EXPORT int cudaFakeIsCapturing(void* stream);
/// Device whose context is current in this thread: `ordinal` in the process's numbering, `physical` in the
/// machine's. @returns 0, 3 (no cuInit), 201 (no current context)
FAKE_EXPORT int cudaFakeCurrentDevice(int* ordinal, int* physical);
/// Allocates page-aligned memory of the current device, distinguishable from cuMemAlloc's. @returns as
/// cuMemAlloc
FAKE_EXPORT int cudaFakeAllocate(void** memory, std::size_t bytes);
/// @returns 0, or 1 (not from cudaFakeAllocate)
FAKE_EXPORT int cudaFakeFree(void* memory);
/// Makes memory of another library (shared with other processes) accessible as the device's own.
/// cudaFakeForget ends that: call it after all streams of the device are idle and before unmapping. @returns
/// as cuMemAlloc and cuMemFree
FAKE_EXPORT int cudaFakeAdopt(void* memory, std::size_t bytes);
FAKE_EXPORT int cudaFakeForget(void* memory);
/// 1 if [memory, memory + bytes) lies in one live allocation that kernels can access; with `only_allocated`
/// in one of cudaFakeAllocate.
FAKE_EXPORT int cudaFakeReachable(const void* memory, std::size_t bytes, int only_allocated);

/// Objects still alive in this process, with which tests check that an engine frees everything.
struct CudaFakeLive {
  int device_allocations, host_allocations, streams, events, graphs, graph_execs, modules, contexts;
};
FAKE_EXPORT CudaFakeLive cudaFakeLive();
