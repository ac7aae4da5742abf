#pragma once
// Gives functions of this room their public names: include a list of functions after this file.
#include "emulated/cards.h"
#include "emulated/softmlx5/verbs/api.h"

#define RDMA_FUNCTION(ret, name, params, args, version, needed)      \
  extern "C" __attribute__((visibility("default"))) ret name params; \
  ret name params { return collbench::softmlx5::verbs::api::name args; }

extern "C" {
__attribute__((visibility("default"))) int softmlx5_link_model(unsigned int index,
                                                               softmlx5_link_model_t* model) {
  return collbench::softmlx5::verbs::api::link_model(index, model);
}
__attribute__((visibility("default"))) int softmlx5_check_settings(const char* link, const char* fault,
                                                                   char* problem,
                                                                   unsigned int problem_bytes) {
  return collbench::softmlx5::verbs::api::check_settings(link, fault, problem, problem_bytes);
}
__attribute__((visibility("default"))) int softmlx5_counters(unsigned int number,
                                                             softmlx5_counters_t* counters) {
  return collbench::softmlx5::verbs::api::counters(number, counters);
}
__attribute__((visibility("default"))) void softmlx5_progress() {
  collbench::softmlx5::verbs::api::progress();
}
}
