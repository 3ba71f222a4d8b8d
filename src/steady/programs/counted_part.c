/* Marks the beginning and end of the counted part for callgrind; without callgrind a no-op. */
#include <valgrind/callgrind.h>

void steady_begin(void)
{
    CALLGRIND_START_INSTRUMENTATION;
}

void steady_end(void)
{
    CALLGRIND_STOP_INSTRUMENTATION;
}
