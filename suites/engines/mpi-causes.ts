import type { CauseRow } from '../explain/causes.ts';
import { environmentCause } from '../explain/environment-cause.ts';
import { machineCauses } from '../explain/machine-causes.ts';
import { networkCauses, streamsCause } from '../explain/network-causes.ts';
import { placementCause } from '../explain/placement-cause.ts';

/** Names of the tuning parameters of Open MPI, MPICH, Intel MPI and UCX. */
const tuning =
  /^(OMPI_MCA_(coll|btl_tcp|btl_sm|btl_vader|pml_ob1|osc|mpi)_|MPIR_CVAR_|I_MPI_(ADJUST|EAGER|THREAD|WAIT)|UCX_)/;
/** Names of parameters that choose the network; without them another network would be measured. */
const network = /^(OMPI_MCA_btl_tcp_if_|MPIR_CVAR_(NOLOCAL|CH4_NETMOD)|UCX_(TLS|NET_DEVICES|IB_|LOG_))/;

/** Possible causes of lost time in MPI libraries, with their experiments. */
export const mpiCauses: readonly CauseRow[] = [
  ...networkCauses,
  environmentCause('MPI', (name) => tuning.test(name) && !network.test(name)),
  streamsCause,
  placementCause,
  ...machineCauses,
];
