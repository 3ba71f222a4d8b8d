package dev.steady.demo;

/** Walks over the tokens of a JSON text without building anything. */
public final class JsonTokenizer {

    private final String text;
    private int position;

    private JsonTokenizer(String text) {
        this.text = text;
    }

    /** The number of tokens: punctuation, strings, numbers and literals. */
    public static int count(String text) {
        JsonTokenizer tokenizer = new JsonTokenizer(text);
        int tokens = 0;
        while (tokenizer.next()) {
            tokens++;
        }
        return tokens;
    }

    private boolean next() {
        while (position < text.length() && text.charAt(position) <= ' ') {
            position++;
        }
        if (position == text.length()) {
            return false;
        }
        char c = text.charAt(position);
        if (c == '"') {
            skipString();
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            skipNumber();
        } else if (c >= 'a' && c <= 'z') {
            skipLiteral();
        } else if ("{}[]:,".indexOf(c) >= 0) {
            position++;
        } else {
            throw new IllegalArgumentException("unexpected character at " + position);
        }
        return true;
    }

    private void skipString() {
        position++;
        while (text.charAt(position) != '"') {
            position += text.charAt(position) == '\\' ? 2 : 1;
        }
        position++;
    }

    private void skipNumber() {
        while (position < text.length() && isNumberPart(text.charAt(position))) {
            position++;
        }
    }

    private void skipLiteral() {
        while (position < text.length() && text.charAt(position) >= 'a' && text.charAt(position) <= 'z') {
            position++;
        }
    }

    private static boolean isNumberPart(char c) {
        return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
    }
}
