/*
 * Interleave two programs at their calls of the clock.
 *
 * Every benchmark harness reads the clock before and after the measured code. This library is
 * preloaded into a program and replaces the functions of the system's clock. At the end of its slice
 * of time, the program hands over to the other one inside such a call, waits for its next turn, and
 * gets the time minus its absences. So samples exclude pauses.
 *
 * All processes and threads of one program are one side, with a common time. A page of memory, which
 * steady creates and both sides map, records whose turn it is. Words of the page, in the order of
 * `steady.programs.clock_turns.ClockPage`:
 *
 *   turn       0 or 1: the side that has the turn; 2 during a hand-over
 *   processor  number of the processor on which both sides run, from 1; 0 if they are not pinned
 *   began      start of the turn
 * and for each side
 *   away       total of its completed absences, in nanoseconds
 *   since      time of its last hand-over
 *   turns      number of its turns
 *   busy       processor time of its other threads while it was away, in nanoseconds
 *   here       its first process that has loaded this library; 0 if none has
 *   left       1 once all its processes have ended; steady writes it
 *   place      number of the benchmark that it has arrived at, from 1; 0 without `steady_meet`
 *   arrived    its own time at its arrival there
 *
 * Times are of CLOCK_MONOTONIC. The deadline of a sleep is moved by the time that the side was away.
 *
 * Two processors can differ in speed, for instance because of their neighbours. So the first process
 * of each side is pinned to one processor while it is single-threaded, and starts no other process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#if !defined(__linux__) || __SIZEOF_POINTER__ != 8
#error "interleaved programs need Linux on a 64-bit processor"
#endif

#define SECOND INT64_C(1000000000)
#define LOOK INT64_C(50000000) /* interval at which a waiting side checks whether the other left */
#define STUCK SECOND           /* a hand-over that takes longer was killed midway */
#define SWITCHING 2u

struct side {
  _Atomic int64_t away, since, turns, busy, here, left, place, arrived;
};

struct page {
  _Atomic uint32_t turn, processor;
  _Atomic int64_t began;
  struct side sides[2];
};

static struct page *page;
static unsigned me;
static int64_t slice;
static _Thread_local int switching __attribute__((tls_model("initial-exec")));

static int (*real_gettime)(clockid_t, struct timespec *);

static int64_t nanoseconds(const struct timespec *t) { return t->tv_sec * SECOND + t->tv_nsec; }

static struct timespec as_timespec(int64_t value) {
  struct timespec t = {value / SECOND, value % SECOND};
  if (t.tv_nsec < 0) {
    t.tv_sec -= 1;
    t.tv_nsec += SECOND;
  }
  return t;
}

/* The next definition of a function, with a version if an older one has the same name. */
static void *next_of(const char *name, const char *version) {
  void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
  return found ? found : dlsym(RTLD_NEXT, name);
}

static int system_time(clockid_t clock, struct timespec *t) {
  /* Other libraries may read the clock before this one is initialised: use the kernel then. */
  return real_gettime ? real_gettime(clock, t) : (int)syscall(SYS_clock_gettime, clock, t);
}

static int64_t now_of(clockid_t clock) {
  struct timespec t = {0, 0};
  system_time(clock, &t);
  return nanoseconds(&t);
}

static long futex(_Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *t) {
  return syscall(SYS_futex, word, operation, value, t, NULL, 0);
}

static void give_turn(unsigned from, unsigned to, int64_t now) {
  struct side *resting = &page->sides[from], *next = &page->sides[to];
  resting->since = now;
  resting->turns++;
  next->away += now - next->since;
  page->began = now;
  page->turn = to;
  futex(&page->turn, FUTEX_WAKE, INT32_MAX, NULL);
}

static int take_over(uint32_t expected) {
  switching = 1;
  int taken = atomic_compare_exchange_strong(&page->turn, &expected, SWITCHING);
  if (!taken) switching = 0;
  return taken;
}

/* Wait until this side has the turn, or the other side has left. */
static void wait_turn(void) {
  unsigned other = 1 - me;
  int64_t seen = 0;
  uint32_t turn;
  while ((turn = page->turn) != me) {
    int64_t now = now_of(CLOCK_MONOTONIC);
    if (turn == SWITCHING) {
      if (!seen) seen = now;
    } else {
      seen = 0;
    }
    int is_free = turn == other && page->sides[other].left;
    int is_stuck = turn == SWITCHING && now - seen > STUCK;
    if ((is_free || is_stuck) && take_over(turn)) {
      give_turn(other, me, now_of(CLOCK_MONOTONIC));
      switching = 0;
      return;
    }
    struct timespec look = as_timespec(LOOK);
    futex(&page->turn, FUTEX_WAIT, turn, &look);
  }
}

static cpu_set_t usable;
static int is_kept;

static void keep_on(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  is_kept = !sched_getaffinity(0, sizeof usable, &usable) && !sched_setaffinity(0, sizeof one, &one);
}

static void set_free(void) {
  if (is_kept) sched_setaffinity(0, sizeof usable, &usable);
  is_kept = 0;
}

/* Give the turn to the other side, and wait for the next one. */
static void hand_over(void) {
  if (!take_over(me)) return;
  int64_t worked = now_of(CLOCK_PROCESS_CPUTIME_ID);
  give_turn(me, 1 - me, now_of(CLOCK_MONOTONIC));
  switching = 0;
  wait_turn();
  page->sides[me].busy += now_of(CLOCK_PROCESS_CPUTIME_ID) - worked;
}

static int is_present(const struct side *side) { return side->here && !side->left; }

/* Hand over if the slice is over; wait if the other side has the turn. */
static void come_in(void) {
  if (page->turn == me) {
    int64_t now = now_of(CLOCK_MONOTONIC);
    if (now - page->began >= slice && is_present(&page->sides[1 - me])) hand_over();
  } else {
    wait_turn();
  }
}

static int is_single_threaded(void) {
  struct stat tasks; /* a link for each thread, besides those of every folder */
  return !stat("/proc/self/task", &tasks) && tasks.st_nlink == 3;
}

/* Wait until the other side has arrived at the same benchmark, or has left. A side that waits gives
 * all its turns to the other one. An earlier benchmark may have ended the pinning. */
void steady_meet(int64_t place) {
  if (!page) return;
  struct side *own = &page->sides[me], *next = &page->sides[1 - me];
  int is_unpinned = !is_kept && page->processor && own->here == getpid();
  if (is_unpinned && is_single_threaded()) keep_on((int)page->processor - 1);
  own->arrived = now_of(CLOCK_MONOTONIC) - own->away;
  own->place = place;
  wait_turn();
  while (next->place < place && is_present(next)) hand_over();
}

static int runs_on(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
    case CLOCK_TAI:
      return 1;
    default:
      return 0;
  }
}

/* The side's own time: that of the system minus its absences. */
static int own_time(clockid_t clock, struct timespec *t) {
  if (!page || switching || !runs_on(clock)) return system_time(clock, t);
  int saved = errno;
  int64_t away;
  int failed;
  do { /* repeat if the turn changed between both readings */
    come_in();
    away = page->sides[me].away;
    failed = system_time(clock, t);
  } while (page->turn != me || page->sides[me].away != away);
  if (!failed) *t = as_timespec(nanoseconds(t) - away);
  errno = saved;
  return failed;
}

static int64_t own_now(clockid_t clock) {
  struct timespec t = {0, 0};
  own_time(clock, &t);
  return nanoseconds(&t);
}

/* A time of the side as a time of the system, assuming no absence until then. */
static struct timespec moved(const struct timespec *until) {
  return as_timespec(nanoseconds(until) + page->sides[me].away);
}

static int is_moved(clockid_t clock) { return page && runs_on(clock); }

__attribute__((constructor)) static void load(void) {
  real_gettime = next_of("clock_gettime", NULL);
  const char *file = getenv("STEADY_TURNS_PAGE"), *side = getenv("STEADY_TURNS_SIDE");
  const char *nanos = getenv("STEADY_TURNS_SLICE");
  if (!real_gettime || !file || !side || !nanos) return;
  int descriptor = open(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  void *found = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (found == MAP_FAILED) return;
  me = side[0] == '1';
  slice = atoll(nanos);
  page = found;
  int64_t nobody = 0, own = getpid();
  int is_first = atomic_compare_exchange_strong(&page->sides[me].here, &nobody, own) || nobody == own;
  if (is_first && page->processor) keep_on((int)page->processor - 1);
  if (is_first && page->turn == me) page->began = now_of(CLOCK_MONOTONIC); /* not before it is here */
  come_in();
}

/* The clocks. */

int clock_gettime(clockid_t clock, struct timespec *t) { return own_time(clock, t); }

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int failed = own_time(CLOCK_REALTIME, &now);
  if (!failed) *t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return failed;
}

time_t time(time_t *t) {
  time_t seconds = own_now(CLOCK_REALTIME) / SECOND;
  if (t) *t = seconds;
  return seconds;
}

int timespec_get(struct timespec *t, int base) {
  return base == TIME_UTC && !own_time(CLOCK_REALTIME, t) ? base : 0;
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*begin)(void *), void *restrict argument) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  if (!real) real = next_of("pthread_create", NULL);
  set_free();
  return real(thread, attributes, begin, argument);
}

pid_t fork(void) {
  static pid_t (*real)(void);
  if (!real) real = next_of("fork", NULL);
  set_free();
  return real();
}

/* Sleeps until a deadline; they continue if they end early in the side's own time. */

#define UNTIL(clock, until, late, call)                                       \
  if (!is_moved(clock)) {                                                     \
    struct timespec at = *(until);                                            \
    return call;                                                              \
  }                                                                           \
  for (;;) {                                                                  \
    struct timespec at = moved(until);                                        \
    int outcome = call;                                                       \
    if (!(late) || own_now(clock) >= nanoseconds(until)) return outcome;      \
  }

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                    struct timespec *left) {
  static int (*real)(clockid_t, int, const struct timespec *, struct timespec *);
  if (!real) real = next_of("clock_nanosleep", NULL);
  if (!(flags & TIMER_ABSTIME)) return real(clock, flags, time, left);
  UNTIL(clock, time, outcome == 0, real(clock, flags, &at, left))
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!real) real = next_of("pthread_cond_timedwait", "GLIBC_2.3.2");
  /* Its clock is the condition's own; all clocks that can be meant are moved alike. A caller has
   * to look again after this call in any case, so that an early end does no harm. */
  struct timespec at = page ? moved(until) : *until;
  return real(condition, mutex, &at);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  if (!real) real = next_of("pthread_cond_clockwait", NULL);
  UNTIL(clock, until, outcome == ETIMEDOUT, real(condition, mutex, clock, &at))
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex,
                            const struct timespec *restrict until) {
  static int (*real)(pthread_mutex_t *, const struct timespec *);
  if (!real) real = next_of("pthread_mutex_timedlock", NULL);
  UNTIL(CLOCK_REALTIME, until, outcome == ETIMEDOUT, real(mutex, &at))
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
  static int (*real)(sem_t *, const struct timespec *);
  if (!real) real = next_of("sem_timedwait", NULL);
  UNTIL(CLOCK_REALTIME, until, outcome && errno == ETIMEDOUT, real(semaphore, &at))
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *until) {
  static int (*real)(sem_t *, clockid_t, const struct timespec *);
  if (!real) real = next_of("sem_clockwait", NULL);
  UNTIL(clock, until, outcome && errno == ETIMEDOUT, real(semaphore, clock, &at))
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *time,
                    struct itimerspec *old) {
  static int (*real)(int, int, const struct itimerspec *, struct itimerspec *);
  if (!real) real = next_of("timerfd_settime", NULL);
  struct itimerspec at = *time;
  int is_set = at.it_value.tv_sec || at.it_value.tv_nsec;
  if (page && is_set && flags & TFD_TIMER_ABSTIME) at.it_value = moved(&time->it_value);
  return real(descriptor, flags, &at, old);
}

/* Rust's standard library makes this system call directly. */
long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = next_of("syscall", NULL);
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  const int command = (int)a[1] & FUTEX_CMD_MASK;
  if (page && number == SYS_futex && command == FUTEX_WAIT_BITSET && a[3]) {
    struct timespec at = moved((const struct timespec *)a[3]);
    return real(number, a[0], a[1], a[2], &at, a[4], a[5]);
  }
  if (page && number == SYS_clock_gettime && runs_on((clockid_t)a[0]) && a[1] && !switching)
    return own_time((clockid_t)a[0], (struct timespec *)a[1]);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
