#pragma once
#include "engines/engine.h"

namespace collbench::agent {

/// Mock engine that moves nothing. Its algorithm says what it does, "<what>:<rank>:<operation>":
///   ""          an operation copies send to recv: right with one rank, wrong with more
///   hang        that rank never returns from that operation (0 = the first)
///   wait        that rank waits in it until it is cancelled, as a real engine does for a dead peer
///   hang-setup  that rank never connects
///   fail        that rank throws Error(kInternal, "mock failure")
///   lose        that rank throws Error(kConnectionLost, "mock link lost")
///   exit        that rank's process exits with code 7
///   segv        that rank's process dies of SIGSEGV
///   talk        that rank writes a line to stderr and one to its engine's log; talk-and-die: exits then
///   babble      that rank writes a megabyte to stderr
/// The other ranks continue; they meet only at the barriers of the trial.
std::span<const EngineEntry> mock_engines();

}  // namespace collbench::agent
