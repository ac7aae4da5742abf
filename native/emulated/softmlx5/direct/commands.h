#pragma once
// DEVX commands: queries, creates and changes objects by the messages of the firmware.
#include <cstddef>
#include <memory>

#include "emulated/softmlx5/direct/objects.h"
#include "vendor_api/mlx5/devx.h"

namespace collbench::softmlx5::direct {

/// Performs the DEVX command QUERY_HCA_CAP: writes the adapter's capabilities to `out`, behind the head.
/// @param in the command, at least as long as a mailbox's head (16 bytes)
/// @param out_bytes size of `out`; capabilities that do not fit are cut off
/// @returns kBadParameter for capabilities of an unknown type
rdma::devx::Status query_capabilities(const void* in, void* out, std::size_t out_bytes);

/// Performs the DEVX command CREATE_CQ: creates a completion queue and stores it in `object`.
/// @param in the command in its full length
/// @returns kBadResource if a umem or UAR page is unknown, of another device or too short; kBadParameter for
/// other invalid fields
rdma::devx::Status create_completion_queue(const void* in, rdma::mlx5dv_devx_obj& object);
/// Performs the DEVX command CREATE_QP: creates a queue pair and stores it in `object`. It must be RC or a DC
/// initiator, with shared receives or none.
/// @param in the command in its full length
/// @returns as create_completion_queue(); kBadResource also if the doorbell record is in GPU memory, or if
/// the adapter does not know the domain or a queue that the command names
rdma::devx::Status create_queue_pair(const void* in, rdma::mlx5dv_devx_obj& object);

/// Performs a DEVX command that changes the state of a queue pair.
/// @param in the command, in its full length
/// @returns kBadOperation for an unknown opcode, kBadQpState for a change that is not allowed now,
/// kBadParameter for another port than 1
rdma::devx::Status modify_queue_pair(const void* in, rdma::mlx5dv_devx_obj& object);
/// True if this state change has attributes of the queue pair in its command (a queue pair context), so that
/// the command must be long enough to hold them.
bool needs_context(std::uint16_t opcode);

/// Performs the DEVX command QUERY_QP: writes the queue pair's attributes and state to `out`.
/// @returns kBadResource if the queue pair no longer exists
rdma::devx::Status query_queue_pair(void* out, const rdma::mlx5dv_devx_obj& object);

}  // namespace collbench::softmlx5::direct
