package dev.steady.demo;

/** Levenshtein's distance, two rows at a time. */
public final class EditDistance {

    private EditDistance() {
    }

    /** What both texts share at their ends cannot add to the distance and is cut off first. */
    public static int between(String left, String right) {
        int start = 0;
        int leftEnd = left.length();
        int rightEnd = right.length();
        while (start < leftEnd && start < rightEnd && left.charAt(start) == right.charAt(start)) {
            start++;
        }
        while (leftEnd > start && rightEnd > start && left.charAt(leftEnd - 1) == right.charAt(rightEnd - 1)) {
            leftEnd--;
            rightEnd--;
        }
        return distance(left.substring(start, leftEnd), right.substring(start, rightEnd));
    }

    private static int distance(String left, String right) {
        int[] previous = new int[right.length() + 1];
        int[] current = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            char c = left.charAt(i - 1);
            current[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int replace = previous[j - 1] + (c == right.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replace, Math.min(previous[j], current[j - 1]) + 1);
            }
            int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[right.length()];
    }
}
