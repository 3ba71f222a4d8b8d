package dev.steady.demo;

/** A set of longs that may say "perhaps" for a key it never saw, but never "no" for one it did. */
public final class BloomFilter {

    private final long[] words;
    private final int hashes;
    private final int mask;

    /** A filter of {@code 2^logBits} bits. */
    public BloomFilter(int logBits, int hashes) {
        this.words = new long[1 << (logBits - 6)];
        this.mask = (1 << logBits) - 1;
        this.hashes = hashes;
    }

    public void add(long key) {
        long hash = mix(key);
        int step = (int) (hash >>> 32) | 1;
        int bit = (int) hash;
        for (int i = 0; i < hashes; i++) {
            words[(bit & mask) >>> 6] |= 1L << bit;
            bit += step;
        }
    }

    public boolean mightContain(long key) {
        long hash = mix(key);
        int step = (int) (hash >>> 32) | 1;
        int bit = (int) hash;
        long all = 1;
        for (int i = 0; i < hashes; i++) {
            all &= words[(bit & mask) >>> 6] >>> bit;
            bit += step;
        }
        return (all & 1) != 0;
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
