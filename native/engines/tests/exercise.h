#pragma once
// Ranks as threads, and one collective put through its paces on all of them.
#include <functional>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench::test {

/// Runs `body` on one thread per rank. A failing rank frees the others; the first real error is thrown here.
void on_ranks(int ranks,
              const std::function<void(Bootstrap& bootstrap, const std::function<bool()>& cancelled)>& body);

/// Fills, runs and verifies the operation on this rank's engine for `iterations` iterations, and looks
/// whether memory behind the receive buffer stayed as it was. All ranks call it alike.
/// @return "" when all is right, else one line naming the operation, rank, element, wanted and got
std::string exercise(Engine& engine, int rank, int ranks, const Operation& operation, int iterations = 2);

/// Every op and data type with the given counts, in place and out of place, rooted ones with first and last
/// root.
std::vector<Operation> operations(int ranks, const std::vector<std::size_t>& counts, bool all_types);

}  // namespace collbench::test
