// Communicators: made, split, watched, ended.
#include <sys/random.h>

#include <climits>
#include <cstdio>
#include <cstring>

#include "cuda/fake/fake_cuda.h"
#include "engines/nccl/fake/comm.h"
#include "engines/nccl/fake/doors.h"
#include "engines/nccl/fake/group.h"
#include "engines/nccl/fake/log.h"

using namespace collbench::nccl_fake;

namespace {

constexpr char kIdTag[] = "collbench fake NCCL ";
constexpr std::size_t kNameBytes =
    32;  // hexadecimal digits; behind them an address, where ranks meet over TCP
constexpr int kNoColor = -1;

struct UniqueId {
  char internal[128];
};

/// The front part of ncclConfig_t, which all releases share.
struct ConfigFront {
  std::size_t size;
  unsigned magic, version;
  int blocking;
  int cga_cluster_size, min_ctas, max_ctas;
  const char* net_name;
  int split_share;
};
static_assert(sizeof(ConfigFront) == 48);
constexpr std::size_t kOldestConfig = 24, kWithNetName = 40;

/// @return kInvalidArgument for what NCCL refuses
int parse_config(const ConfigFront* given, Config& config) {
  ConfigFront front{0, 0, 0, INT_MIN, INT_MIN, INT_MIN, INT_MIN, nullptr, INT_MIN};
  if (given != nullptr) {
    if (given->magic != 0xcafebeef || given->size < kOldestConfig || given->size > 4096) {
      warn(0, "ncclConfig_t argument not initialized via NCCL_CONFIG_INITIALIZER");
      return kInvalidArgument;
    }
    std::memcpy(&front, given, std::min(given->size, sizeof front));
    if (given->size < kWithNetName) front.cga_cluster_size = front.min_ctas = front.max_ctas = INT_MIN;
    if (given->size < kWithNetName) front.net_name = nullptr;
  }
  const auto wrong = [](const char* name, int value) {
    warn(0, "Invalid config %s attribute value %d", name, value);
    return kInvalidArgument;
  };
  const bool may_be_undefined = given == nullptr || version() >= 21700;
  if (front.blocking != 0 && front.blocking != 1 && !(may_be_undefined && front.blocking == INT_MIN))
    return wrong("blocking", front.blocking);
  if (front.min_ctas != INT_MIN && front.min_ctas <= 0) return wrong("minCTAs", front.min_ctas);
  if (front.max_ctas != INT_MIN && front.max_ctas <= 0) return wrong("maxCTAs", front.max_ctas);
  if (front.cga_cluster_size != INT_MIN && (front.cga_cluster_size < 0 || front.cga_cluster_size > 8))
    return wrong("cgaClusterSize", front.cga_cluster_size);
  config.blocking = front.blocking != 0;
  if (const std::string set = environment("NCCL_COMM_BLOCKING"); !set.empty()) config.blocking = set != "0";
  config.net_name = front.net_name != nullptr ? front.net_name : "";
  return kSuccess;
}

int initialize_rank(void** out, int ranks, const UniqueId& id, int rank, const ConfigFront* given,
                    const char* call) {
  if (out == nullptr || ranks < 1 || rank < 0 || rank >= ranks) {
    warn(0, "Invalid rank requested : %d/%d", rank, ranks);
    return kInvalidArgument;
  }
  *out = nullptr;
  auto comm = std::make_shared<Comm>();
  if (const int result = parse_config(given, comm->config); result != kSuccess) return result;
  if (std::strncmp(id.internal, kIdTag, sizeof kIdTag - 1) != 0) {
    warn(0, "fake: the unique id is not from its ncclGetUniqueId");
    return kInvalidArgument;
  }
  if (const int result = cudaFakeCurrentDevice(&comm->ordinal, &comm->physical); result != 0) {
    warn(0, "fake: no current CUDA context in this thread (%d)", result);
    return kCudaError;
  }
  const char* name = id.internal + sizeof kIdTag - 1;
  comm->name = std::string(name, kNameBytes);
  comm->root =
      std::string(name + kNameBytes, strnlen(name + kNameBytes, id.internal + sizeof id - name - kNameBytes));
  comm->rank = rank;
  comm->ranks = ranks;
  *out = add_comm(comm);
  return submit_job([comm, out, call] {
    const int result = run_job(comm, [comm, call] { return initialize(*comm, call); });
    if (result == kSuccess || result == kInProgress) return result;
    remove_comm(comm.get());
    *out = nullptr;
    return result;
  });
}

/// Name of a child: the same on all ranks of one colour, and no other communicator's.
std::string child_name(const Comm& parent, std::uint64_t split, int color) {
  const std::string whole = parent.name + "/" + std::to_string(split) + "/" + std::to_string(color);
  char text[33];
  std::snprintf(text, sizeof text, "%016zx%016zx", std::hash<std::string>{}(whole),
                std::hash<std::string>{}(whole + "/"));
  return text;
}

struct Side {
  int color, key;
};

int split(Comm& parent, std::uint64_t number, Side mine, Comm* child) {
  if (!parent.root.empty()) {
    warn(parent.device(), "fake: ranks that met over TCP cannot be split");
    return kInvalidUsage;
  }
  std::vector<Side> sides(static_cast<std::size_t>(parent.ranks));
  std::string problem;
  if (parent.mesh.gather(&mine, sizeof mine, sides.data(), parent.aborted, problem) != Exchanged::kDone) {
    warn(parent.device(), "fake: split: %s", problem.c_str());
    return kRemoteError;
  }
  if (child == nullptr) return kSuccess;
  child->ranks = 0;
  child->rank = 0;
  for (int rank = 0; rank < parent.ranks; ++rank) {
    const Side& side = sides[static_cast<std::size_t>(rank)];
    if (side.color != mine.color) continue;
    ++child->ranks;
    if (side.key < mine.key || (side.key == mine.key && rank < parent.rank)) ++child->rank;
  }
  child->name = child_name(parent, number, mine.color);
  return initialize(*child, "ncclCommSplit");
}

int end_comm(void* handle, bool by_force) {
  const auto comm = find_comm(handle);
  if (comm == nullptr) return kInvalidArgument;
  if (by_force) comm->aborted = true;
  {
    std::unique_lock lock(comm->mutex);
    comm->changed.wait(lock, [&comm] { return comm->busy == 0; });
    if (by_force) comm->deferred.clear();
  }
  if (by_force)
    comm->mesh.shut();
  else
    drain(*comm);
  comm->finished = true;
  remove_comm(handle);
  info(kInit, comm->device(), "comm %p rank %d nranks %d cudaDev %d busId %x - %s COMPLETE", handle,
       comm->rank, comm->ranks, comm->ordinal, (comm->physical + 1) << 12, by_force ? "Abort" : "Destroy");
  return kSuccess;
}

}  // namespace

FAKE_EXPORT int ncclGetVersion(int* code) {
  if (code == nullptr) return kInvalidArgument;
  *code = version();
  return kSuccess;
}

FAKE_EXPORT int ncclGetUniqueId(UniqueId* id) {
  if (id == nullptr) return kInvalidArgument;
  unsigned char random[16];
  if (getrandom(random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) return kSystemError;
  std::memset(id, 0, sizeof *id);
  int at = std::snprintf(id->internal, sizeof id->internal, "%s", kIdTag);
  for (const unsigned char byte : random)
    at += std::snprintf(id->internal + at, sizeof id->internal - static_cast<std::size_t>(at), "%02x", byte);
  std::string problem;
  const std::string root = open_root_door(std::string(id->internal + sizeof kIdTag - 1, kNameBytes), problem);
  if (!problem.empty()) {
    warn(0, "Bootstrap : %s", problem.c_str());
    return kInvalidUsage;
  }
  std::snprintf(id->internal + at, sizeof id->internal - static_cast<std::size_t>(at), "%s", root.c_str());
  info(kInit, 0, "Bootstrap: fake, %s", root.empty() ? "abstract unix sockets" : ("TCP " + root).c_str());
  return kSuccess;
}

FAKE_EXPORT int ncclCommInitRankConfig(void** comm, int ranks, UniqueId id, int rank,
                                       const ConfigFront* config) {
  return initialize_rank(comm, ranks, id, rank, config, "ncclCommInitRankConfig");
}

FAKE_EXPORT int ncclCommInitRank(void** comm, int ranks, UniqueId id, int rank) {
  return initialize_rank(comm, ranks, id, rank, nullptr, "ncclCommInitRank");
}

FAKE_EXPORT int ncclCommSplit(void* handle, int color, int key, void** out, const ConfigFront* given) {
  const auto parent = find_comm(handle);
  if (parent == nullptr || out == nullptr || color < kNoColor) return kInvalidArgument;
  *out = nullptr;
  if (const int ready = require_ready(parent); ready != kSuccess) return ready;
  std::shared_ptr<Comm> child;
  if (color != kNoColor) {
    child = std::make_shared<Comm>();
    child->config = parent->config;
    if (given != nullptr)
      if (const int result = parse_config(given, child->config); result != kSuccess) return result;
    child->ordinal = parent->ordinal;
    child->physical = parent->physical;
    child->busy = 1;
    *out = add_comm(child);
  }
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(parent->mutex);
    number = ++parent->splits;
  }
  return submit_job([=] {
    return run_job(parent, [=] {
      const int result = split(*parent, number, {color, key}, child.get());
      if (child == nullptr) return result;
      if (result != kSuccess) fail(*child, result, "");
      const std::lock_guard lock(child->mutex);
      --child->busy;
      child->changed.notify_all();
      return result;
    });
  });
}

FAKE_EXPORT int ncclCommFinalize(void* handle) {
  const auto comm = find_comm(handle);
  if (comm == nullptr) return kInvalidArgument;
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  return run_job(comm, [comm] {
    drain(*comm);
    comm->finished = true;
    return kSuccess;
  });
}

FAKE_EXPORT int ncclCommDestroy(void* comm) { return end_comm(comm, false); }
FAKE_EXPORT int ncclCommAbort(void* comm) { return end_comm(comm, true); }

FAKE_EXPORT int ncclCommGetAsyncError(void* handle, int* error) {
  const auto comm = find_comm(handle);
  if (comm == nullptr || error == nullptr) return kInvalidArgument;
  *error = poll_state(comm);
  return kSuccess;
}

FAKE_EXPORT const char* ncclGetLastError(void* /*comm*/) { return last_error(); }

FAKE_EXPORT const char* ncclGetErrorString(int result) {
  constexpr const char* kTexts[] = {"no error",
                                    "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
                                    "unhandled system error (run with NCCL_DEBUG=INFO for details)",
                                    "internal error - please report this issue to the NCCL developers",
                                    "invalid argument (run with NCCL_DEBUG=WARN for details)",
                                    "invalid usage (run with NCCL_DEBUG=WARN for details)",
                                    "remote process exited or there was a network error",
                                    "NCCL operation in progress"};
  return result >= 0 && result < 8 ? kTexts[result] : "unknown result code";
}
