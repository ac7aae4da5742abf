// The NCCL profiler plugin for all versions of NCCL's interface. It always reports success to NCCL: a record
// that cannot be written must not fail a job.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "core/clock.h"
#include "recorder/nccl/open_calls.h"
#include "recorder/nccl/profiler.h"
#include "recorder/nccl/tagged_handle.h"
#include "recorder/nccl/timing_schedule.h"
#include "recorder/recorder.h"

namespace {

using namespace collbench::nccl_profiler;  // NOLINT(google-build-using-namespace): this file is all about
                                           // Names that the macros below use.
using collbench::now_ns;
using collbench::recorder::HandleKind;
using collbench::recorder::Header;
using collbench::recorder::OpenCalls;
using collbench::recorder::process_recorder;
using collbench::recorder::RecordEntry;
using collbench::recorder::TaggedHandle;
using collbench::recorder::TimingSchedule;

constexpr char kName[] = "collbench";

/// State of the recorder for one NCCL communicator; `log` is the number of its record, `calls` counts its
/// calls.
struct Context {
  int log = -1;
  /// NCCL's mask of the events that it reports; one variable for all communicators of the process.
  int* mask = nullptr;
  int base_mask = 0;
  std::atomic<std::uint64_t> calls{0};
};

OpenCalls& open_calls() {
  static OpenCalls* const calls = [] {
    auto* made = new OpenCalls(process_recorder());
    process_recorder().set_sweep([made](int log, bool everything) { made->sweep(log, everything); });
    return made;
  }();
  return *calls;
}

TimingSchedule& timing_schedule() {
  static TimingSchedule timed(std::getenv("COLLBENCH_RECORD_TIMES"));
  return timed;
}

/// Number of NCCL calls of this process, on all communicators. TimingSchedule selects timed calls by this
/// number, because NCCL's event mask applies to all communicators.
std::atomic<std::uint64_t> calls_of_process{0};

/// Returns the file of the libnccl that has loaded this plugin, found by the address of its `logger`. A
/// process may have loaded several.
std::string library_of(Logger logger) {
  Dl_info found{};
  if (logger == nullptr || dladdr(reinterpret_cast<void*>(logger), &found) == 0) return "";
  return found.dli_fname == nullptr ? "" : found.dli_fname;
}

/// Returns the version of a libnccl, "2.28.9"; "" if it does not report one.
/// @param library path of its file
std::string version_of(const std::string& library) {
  using GetVersion = int (*)(int*);
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* found = dlsym(handle == nullptr ? RTLD_DEFAULT : handle, "ncclGetVersion");
  int version = 0;
  if (found != nullptr) reinterpret_cast<GetVersion>(found)(&version);
  if (handle != nullptr) dlclose(handle);
  if (version < 2000) return "";
  const int unit = version >= 10000 ? 10000 : 1000;
  return std::to_string(version / unit) + "." + std::to_string(version % unit / 100) + "." +
         std::to_string(version % 100);
}

void set_times(const Context& context) noexcept {
  const std::uint64_t call = calls_of_process.load(std::memory_order_relaxed);
  const int wanted =
      context.base_mask | (timing_schedule().is_timed(call) ? static_cast<int>(kKernelChannel) : 0);
  if (__atomic_load_n(context.mask, __ATOMIC_RELAXED) != wanted)
    __atomic_store_n(context.mask, wanted, __ATOMIC_RELAXED);
}

ProfilerResult start_recording(int interface_version, void** context, std::uint64_t id, int* mask,
                               const char* name, int nodes, int ranks, int rank, Logger logger) noexcept {
  *context = nullptr;
  try {
    Header header;
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(id));
    header.source = "nccl";
    header.interface_version = interface_version;
    header.communicator = text;
    header.name = name == nullptr ? "" : name;
    header.ranks = ranks;
    header.rank = rank;
    header.nodes = nodes;
    header.library_path = library_of(logger);
    header.library_version = version_of(header.library_path);
    open_calls();
    std::string why;
    auto made = std::make_unique<Context>();
    made->log = process_recorder().open(header, why);
    if (made->log < 0) {
      if (!why.empty() && logger != nullptr)
        logger(kLogWarn, kLogInit, __FILE__, __LINE__, "collbench record: not recorded: %s", why.c_str());
      return kSuccess;
    }
    made->mask = mask;
    made->base_mask =
        static_cast<int>(kColl | kP2p) | (interface_version >= 6 ? static_cast<int>(kCopyEngineColl) : 0);
    if (interface_version < 5) timing_schedule().note_unseen_captures();
    set_times(*made);
    *context = made.release();
  } catch (const std::exception& error) {
    if (logger != nullptr)
      logger(kLogWarn, kLogInit, __FILE__, __LINE__, "collbench record: not recorded: %s", error.what());
  }
  return kSuccess;
}

ProfilerResult init_v4(void** context, int* mask, const char* name, std::uint64_t id, int nodes, int ranks,
                       int rank, Logger logger) {
  return start_recording(4, context, id, mask, name, nodes, ranks, rank, logger);
}
template <int version>
ProfilerResult init(void** context, std::uint64_t id, int* mask, const char* name, int nodes, int ranks,
                    int rank, Logger logger) {
  return start_recording(version, context, id, mask, name, nodes, ranks, rank, logger);
}

/// Returns the record entry of a call that starts now; the caller adds function, count and so on. Also sets
/// NCCL's event mask, which decides whether the call's kernel is timed.
/// @param parent handle of the API event from which the CUDA stream and the graph capture are known;
/// interface version 4 has none
RecordEntry new_call(Context& context, const void* parent) noexcept {
  RecordEntry call;
  call.log = context.log;
  call.call = context.calls.fetch_add(1, std::memory_order_relaxed);
  const TaggedHandle api = TaggedHandle::of(parent);
  const bool has_api = parent != nullptr && api.kind == HandleKind::kApi;
  call.stream = has_api ? api.value : 0;
  call.is_graph = has_api && api.is_captured;
  calls_of_process.fetch_add(1, std::memory_order_relaxed);
  set_times(context);
  call.start_ns = now_ns();
  return call;
}

void* begin(const RecordEntry& call) noexcept {
  return TaggedHandle{HandleKind::kCall, open_calls().start(call)}.pointer();
}

void* coll(Context& context, const void* parent, const CollBody& body) noexcept {
  RecordEntry call = new_call(context, parent);
  call.sequence = body.sequence;
  call.function = body.function;
  call.count = body.count;
  call.type = body.type;
  call.root = body.root;
  call.channels = body.channels;
  call.warps = body.warps;
  call.algorithm = body.algorithm;
  call.protocol = body.protocol;
  return begin(call);
}

void* p2p(Context& context, const void* parent, const P2pBody& body) noexcept {
  RecordEntry call = new_call(context, parent);
  call.function = body.function;
  call.count = body.count;
  call.type = body.type;
  call.peer = body.peer;
  call.channels = body.channels;
  return begin(call);
}

void* copy_engine(Context& context, const void* parent, const CopyEngineBody& body) noexcept {
  RecordEntry call = new_call(context, parent);
  call.sequence = body.sequence;
  call.function = body.function;
  call.count = body.count;
  call.type = body.type;
  call.root = body.root;
  call.algorithm = "CE";
  call.protocol = body.synchronisation;
  call.stream = reinterpret_cast<std::uint64_t>(body.stream);
  return begin(call);
}

void* api(Context& context, const void* stream, bool is_captured) noexcept {
  if (is_captured) {
    timing_schedule().note_captured(
        (__atomic_load_n(context.mask, __ATOMIC_RELAXED) & static_cast<int>(kKernelChannel)) != 0);
    set_times(context);
  }
  return TaggedHandle{HandleKind::kApi, reinterpret_cast<std::uint64_t>(stream), is_captured}.pointer();
}

void* kernel(const void* parent, const KernelChannelBody& body) noexcept {
  const TaggedHandle call = TaggedHandle::of(parent);
  if (parent == nullptr || call.kind != HandleKind::kCall) return nullptr;
  open_calls().kernel_start(call.value, body.device_ns);
  return TaggedHandle{HandleKind::kKernel, call.value}.pointer();
}

template <typename Descriptor>
ProfilerResult start(void* context, void** event, Descriptor* descriptor) {
  if (event == nullptr) return kSuccess;
  *event = nullptr;
  if (context == nullptr || descriptor == nullptr) return kSuccess;
  auto& comm = *static_cast<Context*>(context);
  const void* parent = descriptor->parent;
  const auto type = static_cast<std::uint64_t>(descriptor->type);
  if (type == kColl) *event = coll(comm, parent, descriptor->coll);
  if (type == kP2p) *event = p2p(comm, parent, descriptor->p2p);
  if (type == kKernelChannel) *event = kernel(parent, descriptor->kernel);
  if (type == kGroup) *event = TaggedHandle{HandleKind::kGroup, 1}.pointer();
  if constexpr (requires { descriptor->coll_api; }) {
    if (type == kGroupApi) *event = TaggedHandle{HandleKind::kGroup, 1}.pointer();
    if (type == kCollApi) *event = api(comm, descriptor->coll_api.stream, descriptor->coll_api.is_captured);
    if (type == kP2pApi) *event = api(comm, descriptor->p2p_api.stream, descriptor->p2p_api.is_captured);
  }
  if constexpr (requires { descriptor->copy_engine; })
    if (type == kCopyEngineColl) *event = copy_engine(comm, parent, descriptor->copy_engine);
  return kSuccess;
}

ProfilerResult stop(void* event) {
  const TaggedHandle handle = TaggedHandle::of(event);
  if (event != nullptr && handle.kind == HandleKind::kCall) open_calls().stop(handle.value);
  return kSuccess;
}

ProfilerResult state(void* event, int state, StateArguments* arguments) {
  const TaggedHandle handle = TaggedHandle::of(event);
  if (event != nullptr && handle.kind == HandleKind::kKernel && state == kKernelChannelStop &&
      arguments != nullptr)
    open_calls().kernel_stop(handle.value, arguments->device_ns);
  return kSuccess;
}

ProfilerResult finalize(void* context) {
  if (context == nullptr) return kSuccess;
  const auto* comm = static_cast<Context*>(context);
  try {
    process_recorder().close(comm->log);
  } catch (const std::exception&) {
    // The record then has no last line, which its reader reports.
  }
  delete comm;
  return kSuccess;
}

}  // namespace

#define COLLBENCH_EXPORT __attribute__((visibility("default"))) extern

extern "C" {
COLLBENCH_EXPORT const ProfilerV4 ncclProfiler_v4;
const ProfilerV4 ncclProfiler_v4 = {kName, init_v4, start<DescriptorV4>, stop, state, finalize};
COLLBENCH_EXPORT const ProfilerV5 ncclProfiler_v5;
const ProfilerV5 ncclProfiler_v5 = {kName, init<5>, start<DescriptorV5>, stop, state, finalize};
COLLBENCH_EXPORT const ProfilerV6 ncclProfiler_v6;
const ProfilerV6 ncclProfiler_v6 = {kName, init<6>, start<DescriptorV6>, stop, state, finalize};
}
