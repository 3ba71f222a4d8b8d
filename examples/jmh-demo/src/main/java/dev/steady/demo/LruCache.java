package dev.steady.demo;

import java.util.LinkedHashMap;
import java.util.Map;

/** Keeps the entries that were used last. */
public final class LruCache<K, V> extends LinkedHashMap<K, V> {

    private static final long serialVersionUID = 1L;

    private final int capacity;

    public LruCache(int capacity) {
        super(2 * capacity, 0.75f, true);
        this.capacity = capacity;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > capacity;
    }
}
