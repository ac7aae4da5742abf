/**
 * Environment variables that collbench reads, with their meaning, as `collbench help environment` prints them. A test compares
 * the list with the sources.
 */
export const environmentVariables: readonly (readonly [names: string, meaning: string])[] = [
  ['NO_COLOR', 'no colour (no-color.org)'],
  ['FORCE_COLOR', 'colour also where output is no terminal; 0: none'],
  ['TERM', 'dumb: no colour, no progress line'],
  ['COLUMNS', 'width of tables and help where output is no terminal'],
  ['LC_ALL, LC_CTYPE, LANG', 'a locale without UTF-8: "us" for "µs", and charts of ASCII characters only'],
  ['COLLBENCH_LIVE', '1: print each row once it is measured, also where output is no terminal'],
  ['COLLBENCH_DEBUG', '1: print the stack of an internal error'],
  ['COLLBENCH_LOG', 'info or debug: more lines in the logs of the agents; default: warn'],
  ['COLLBENCH_PIN', '0: never bind ranks to cores'],
  ['COLLBENCH_NATIVE_DIR', 'folder of the native programs; default: those built with the package'],
  ['COLLBENCH_SISCI_COPIERS', 'sisci: threads of each rank that copy'],
  ['COLLBENCH_SHM_COPIES', '2: shm never lets the kernel copy between ranks'],
  ['XDG_CACHE_HOME', 'folder of what is built later; default: ~/.cache'],
  ['XDG_CONFIG_HOME', 'folder of tuning tables; default: ~/.config'],
  ['SOURCE_DATE_EPOCH', 'time stamp of release files (reproducible-builds.org)'],
  ['CXX, CC', 'compilers; default: those on the PATH'],
  ['CUDA_HOME, CUDA_PATH', 'folder of the CUDA toolkit'],
  ['LD_LIBRARY_PATH', 'folders where libraries such as libnccl are searched'],
  ['SSH_AUTH_SOCK', 'ssh agent for --hosts'],
  ['SLURM_JOB_ID', '--launcher slurm: the allocation in which agents are started'],
  ['SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE', '--launcher slurm without --hosts: hosts and ranks'],
  ['SLURMD_NODENAME', 'doctor --drain-as slurm in a health check: the name of this node'],
];
