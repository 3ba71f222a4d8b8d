/* Tells callgrind where what is counted begins and ends. Outside of it, this does nothing. */
#include <valgrind/callgrind.h>

void steady_begin(void)
{
    CALLGRIND_START_INSTRUMENTATION;
}

void steady_end(void)
{
    CALLGRIND_STOP_INSTRUMENTATION;
}
