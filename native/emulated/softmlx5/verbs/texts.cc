// Names of events and statuses.
#include <array>

#include "emulated/softmlx5/verbs/api.h"

namespace collbench::softmlx5::verbs::api {
namespace {

constexpr std::array kEvents = {"CQ error",
                                "local work queue catastrophic error",
                                "invalid request local work queue error",
                                "local access violation work queue error",
                                "communication established",
                                "send queue drained",
                                "path migrated",
                                "path migration request error",
                                "local catastrophic error",
                                "port active",
                                "port error",
                                "LID change",
                                "P_Key change",
                                "SM change",
                                "SRQ catastrophic error",
                                "SRQ limit reached",
                                "last WQE reached",
                                "client reregistration",
                                "GID table change",
                                "WQ fatal"};
constexpr std::array kStatuses = {"success",
                                  "local length error",
                                  "local QP operation error",
                                  "local EE context operation error",
                                  "local protection error",
                                  "work request flushed error",
                                  "memory window bind error",
                                  "bad response error",
                                  "local access error",
                                  "remote invalid request error",
                                  "remote access error",
                                  "remote operation error",
                                  "transport retry counter exceeded",
                                  "RNR retry counter exceeded",
                                  "local RDD violation error",
                                  "remote invalid RD request",
                                  "remote aborted error",
                                  "invalid EE context number",
                                  "invalid EE context state",
                                  "fatal error",
                                  "response timeout error",
                                  "general error"};

template <typename Texts>
const char* text_of(const Texts& texts, int value) {
  const auto index = static_cast<std::size_t>(value);
  return index < texts.size() ? texts[index] : "unknown";
}

}  // namespace

const char* ibv_event_type_str(ibv_event_type type) { return text_of(kEvents, type); }
const char* ibv_wc_status_str(ibv_wc_status status) { return text_of(kStatuses, status); }

}  // namespace collbench::softmlx5::verbs::api
