package dev.steady.demo;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads web-server access logs in the combined format. */
public final class AccessLog {

    private static final Pattern LINE = Pattern.compile(
            "^(\\S+) \\S+ (\\S+) \\[([^\\]]+)\\] \"([A-Z]+) ([^\" ]+) [^\"]+\" "
                    + "(\\d{3}) (\\d+|-) \"[^\"]*\" \"([^\"]*)\"$");

    private AccessLog() {
    }

    /** The bytes that successful GET requests sent. */
    public static long bytesServed(List<String> lines) {
        long bytes = 0;
        for (String line : lines) {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches() && matcher.group(4).equals("GET") && matcher.group(6).startsWith("2")
                    && !matcher.group(7).equals("-")) {
                bytes += Long.parseLong(matcher.group(7));
            }
        }
        return bytes;
    }
}
