package dev.steady.demo;

import java.util.HashMap;
import java.util.Map;

/** How often each word of a text occurs. */
public final class WordCount {

    private WordCount() {
    }

    public static Map<String, Integer> of(String text) {
        Map<String, Integer> counts = new HashMap<>();
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || text.charAt(i) == ' ') {
                if (i > start) {
                    counts.merge(text.substring(start, i), 1, Integer::sum);
                }
                start = i + 1;
            }
        }
        return counts;
    }
}
