package program;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Just enough JSON to say what was seen. */
final class Json {
    /** An object with these names and values, in turn; values may be null. */
    static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            made.put((String) namesAndValues[at], namesAndValues[at + 1]);
        }
        return made;
    }

    static String text(Object value) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return String.valueOf(value);
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> quoted(entry.getKey().toString()) + ":" + text(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof Collection<?> values) {
            return values.stream().map(Json::text).collect(Collectors.joining(",", "[", "]"));
        }
        return quoted(value.toString());
    }

    private static String quoted(String text) {
        return text.chars()
                .mapToObj(c -> c < ' ' || c == '"' || c == '\\'
                        ? String.format("\\u%04x", c)
                        : String.valueOf((char) c))
                .collect(Collectors.joining("", "\"", "\""));
    }

    private Json() {}
}
