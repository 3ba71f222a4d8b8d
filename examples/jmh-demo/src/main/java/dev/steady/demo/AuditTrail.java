package dev.steady.demo;

import java.util.Arrays;

/** Event numbers in the sequence of their arrival, each at most once. */
public final class AuditTrail {

    private long[] events = new long[1024];
    private int size;

    /** Records the event unless the trail has it already; looks through the whole trail. */
    public boolean record(long event) {
        for (int i = 0; i < size; i++) {
            if (events[i] == event) {
                return false;
            }
        }
        if (size == events.length) {
            events = Arrays.copyOf(events, 2 * size);
        }
        events[size++] = event;
        return true;
    }
}
