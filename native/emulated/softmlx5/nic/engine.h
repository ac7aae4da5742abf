#pragma once
#include <string>

#include "emulated/softmlx5/nic/inside.h"

namespace collbench::softmlx5 {

/// Sets the emulated adapter up: reads link model and faults from the environment and takes a free LID.
/// @param problem receives one line if it fails
/// @returns false if it fails
bool start_card(Card::Inside& inside, std::string* problem);
/// Starts the emulated adapter's thread, which carries out posted work until the process ends.
void start_engine(Card::Inside& inside);

}  // namespace collbench::softmlx5
