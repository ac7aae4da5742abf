#pragma once
#include <string>

#include "softmlx5/nic/inside.h"

namespace collbench::softmlx5 {

/// Reads the environment and joins the fabric. False with one line in `problem` on failure.
bool start_card(Card::Inside& inside, std::string* problem);
/// Starts the thread that carries out work until the process ends.
void start_engine(Card::Inside& inside);

}  // namespace collbench::softmlx5
