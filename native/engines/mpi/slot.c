// Program that MPI's launcher starts, in two roles. It ends when the rank that it serves does.
// slot NAME,NAME,...: process of a rank; NAME is the abstract socket of each rank. It passes the launcher's
// variables, and the launcher's socket if there is one (PMI_FD), to the waiting rank.
// slot [-OPTION ...] HOST COMMAND...: called in place of ssh to start the launcher's daemon on another host.
// It passes host and command to rank 0 (abstract socket COLLBENCH_MPI_REMOTE), which has them run there.
extern char** environ;

static int number_in(const char* name) {
  const char* value = getenv(name);
  return value == NULL || *value < '0' || *value > '9' ? -1 : atoi(value);
}

static int own_rank(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (number_in(names[i]) >= 0) return number_in(names[i]);
  return -1;
}

static int connect_to(const char* name, size_t length) {
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (length == 0 || length >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path + 1, name, length);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (const struct sockaddr*)&address,
                         (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0)
    return fd;
  return -1;
}

static int send_all(int fd, const char* data, size_t length, int passed) {
  char control[CMSG_SPACE(sizeof(int))];
  while (length > 0) {
    struct iovec part = {(void*)data, length};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (passed >= 0) {
      memset(control, 0, sizeof control);
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      struct cmsghdr* head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(head), &passed, sizeof(int));
    }
    const ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return -1;
    passed = -1;
    data += n;
    length -= (size_t)n;
  }
  return 0;
}

/// Waits until the rank at the other end closes the connection.
static void wait_for_end(int fd) {
  char word;
  while (read(fd, &word, 1) < 0 && errno == EINTR) {
  }
}

static int send_text(int fd, const char* text, size_t length) { return send_all(fd, text, length, -1); }

/// Passes on what ssh would do: HOST, then the words of the command with a space before each.
static int pass_command(int argc, char** argv) {
  const char* name = getenv("COLLBENCH_MPI_REMOTE");
  int first = 1;
  while (first < argc && argv[first][0] == '-') ++first;
  if (name == NULL || first + 1 >= argc) {
    fprintf(stderr, "slot: the launcher names no host and no command\n");
    return 1;
  }
  const int fd = connect_to(name, strlen(name));
  if (fd < 0) {
    fprintf(stderr, "slot: rank 0 does not wait here: %s\n", strerror(errno));
    return 1;
  }
  uint32_t length = 0;
  for (int i = first; i < argc; ++i) length += (uint32_t)strlen(argv[i]) + 1;
  int broken = send_text(fd, (const char*)&length, sizeof length);
  for (int i = first; i < argc && !broken; ++i)
    broken = send_text(fd, argv[i], strlen(argv[i])) || send_text(fd, i == first ? "" : " ", 1);
  if (!broken) wait_for_end(fd);
  return broken != 0;
}

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc > 2) return pass_command(argc, argv);
  const int rank = own_rank();
  if (argc != 2 || rank < 0) {
    fprintf(stderr, "slot: the launcher names no rank to its processes\n");
    return 1;
  }
  const char* name = argv[1];
  for (int i = 0; i < rank && name != NULL; ++i) {
    name = strchr(name, ',');
    if (name != NULL) ++name;
  }
  const int fd = name == NULL ? -1 : connect_to(name, strcspn(name, ","));
  if (fd < 0) {
    fprintf(stderr, "slot: rank %d does not wait here: %s\n", rank,
            name == NULL ? "no such rank" : strerror(errno));
    return 1;
  }
  uint32_t length = 0;
  for (char** entry = environ; *entry != NULL; ++entry) length += (uint32_t)strlen(*entry) + 1;
  int broken = send_all(fd, (const char*)&length, sizeof length, number_in("PMI_FD"));
  for (char** entry = environ; *entry != NULL && !broken; ++entry)
    broken = send_all(fd, *entry, strlen(*entry) + 1, -1);
  if (!broken) wait_for_end(fd);
  return 0;
}
