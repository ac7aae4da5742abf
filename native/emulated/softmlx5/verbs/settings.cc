// Functions that only softmlx5 has: link models and checks of settings.
#include <cstdio>
#include <string>

#include "emulated/softmlx5/nic/card.h"
#include "emulated/softmlx5/nic/faults.h"
#include "emulated/softmlx5/nic/link_model.h"
#include "emulated/softmlx5/verbs/api.h"

namespace collbench::softmlx5::verbs::api {

int link_model(unsigned int index, softmlx5_link_model_t* model) {
  const auto rows = link_model_table();
  if (index >= rows.size()) return 0;
  const LinkModelRow& row = rows[index];
  *model = {row.name, row.summary, row.gbitps};
  return 1;
}

int check_settings(const char* link, const char* fault, char* problem, unsigned int problem_bytes) {
  std::string why;
  const bool understood = parse_link_model(link == nullptr ? "" : link, &why).has_value() &&
                          parse_faults(fault == nullptr ? "" : fault, &why) != nullptr;
  if (!understood && problem != nullptr && problem_bytes > 0)
    std::snprintf(problem, problem_bytes, "%s", why.c_str());
  return understood ? 1 : 0;
}

void progress() {
  // Opens the card if there is none, so that a child of fork gets its own.
  if (Card* card = Card::open(nullptr)) card->progress();
}

}  // namespace collbench::softmlx5::verbs::api
