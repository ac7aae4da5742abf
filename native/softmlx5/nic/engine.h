#pragma once
#include <string>

#include "softmlx5/nic/inside.h"

namespace collbench::softmlx5 {

/// Reads the environment and joins the fabric. False with one line in `problem`.
bool start_card(Card::Inside& inside, std::string* problem);
/// The thread that carries out work for as long as the process lives.
void start_engine(Card::Inside& inside);

}  // namespace collbench::softmlx5
