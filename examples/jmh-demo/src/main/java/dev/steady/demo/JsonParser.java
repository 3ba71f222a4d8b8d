package dev.steady.demo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A recursive-descent JSON parser: objects become maps, arrays lists, numbers Long or Double. */
public final class JsonParser {

    private final String text;
    private int position;

    private JsonParser(String text) {
        this.text = text;
    }

    public static Object parse(String text) {
        JsonParser parser = new JsonParser(text);
        Object value = parser.value();
        parser.skipSpace();
        if (parser.position != text.length()) {
            throw parser.unexpected();
        }
        return value;
    }

    private Object value() {
        skipSpace();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> literal("true", Boolean.TRUE);
            case 'f' -> literal("false", Boolean.FALSE);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        position++;
        skipSpace();
        if (take('}')) {
            return members;
        }
        do {
            skipSpace();
            String key = string();
            skipSpace();
            expect(':');
            members.put(key, value());
            skipSpace();
        } while (take(','));
        expect('}');
        return members;
    }

    private List<Object> array() {
        List<Object> items = new ArrayList<>();
        position++;
        skipSpace();
        if (take(']')) {
            return items;
        }
        do {
            items.add(value());
            skipSpace();
        } while (take(','));
        expect(']');
        return items;
    }

    private String string() {
        expect('"');
        int start = position;
        while (peek() != '"') {
            if (peek() == '\\') {
                return stringWithEscapes(start);
            }
            position++;
        }
        return text.substring(start, position++);
    }

    private String stringWithEscapes(int start) {
        StringBuilder out = new StringBuilder().append(text, start, position);
        while (peek() != '"') {
            char c = text.charAt(position++);
            out.append(c == '\\' ? escape() : c);
        }
        position++;
        return out.toString();
    }

    private char escape() {
        char c = text.charAt(position++);
        return switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> {
                position += 4;
                yield (char) Integer.parseInt(text, position - 4, position, 16);
            }
            default -> c;
        };
    }

    private Object number() {
        int start = position;
        boolean whole = true;
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '.' || c == 'e' || c == 'E') {
                whole = false;
            } else if (c != '-' && c != '+' && (c < '0' || c > '9')) {
                break;
            }
            position++;
        }
        if (start == position) {
            throw unexpected();
        }
        if (whole) {
            return Long.parseLong(text, start, position, 10);
        }
        return Double.parseDouble(text.substring(start, position));
    }

    private Object literal(String word, Object value) {
        if (!text.startsWith(word, position)) {
            throw unexpected();
        }
        position += word.length();
        return value;
    }

    private char peek() {
        if (position == text.length()) {
            throw unexpected();
        }
        return text.charAt(position);
    }

    private boolean take(char c) {
        if (peek() != c) {
            return false;
        }
        position++;
        return true;
    }

    private void expect(char c) {
        if (!take(c)) {
            throw unexpected();
        }
    }

    private void skipSpace() {
        while (position < text.length() && text.charAt(position) <= ' ') {
            position++;
        }
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("not valid JSON at character " + position);
    }
}
