import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Prints each type of the JDK that a stranger's class may extend, and the methods it may override. */
public class Overridable {
    private static final int VISIBLE = Modifier.PUBLIC | Modifier.PROTECTED;
    private static final int FIXED = Modifier.STATIC | Modifier.FINAL | Modifier.PRIVATE;

    public static void main(String[] given) throws Exception {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> paths = Files.walk(modules)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                String name = path.toString().replaceFirst("^/modules/[^/]*/", "");
                if (name.matches("java/.*\\.class")) {
                    print(name.substring(0, name.length() - ".class".length()));
                }
            }
        }
    }

    static void print(String name) {
        Class<?> type;
        try {
            type = Class.forName(name.replace('/', '.'), false, null);
        } catch (ClassNotFoundException | LinkageError absent) {
            return;
        }
        if (canBeExtended(type)) {
            Set<String> methods = new TreeSet<>();
            add(type, methods);
            System.out.println(name + " " + String.join(" ", methods));
        }
    }

    static boolean canBeExtended(Class<?> type) {
        for (Class<?> outer = type; outer != null; outer = outer.getDeclaringClass()) {
            if ((outer.getModifiers() & VISIBLE) == 0) {
                return false;
            }
        }
        boolean open = type.isInterface();
        for (Constructor<?> one : type.getDeclaredConstructors()) {
            open |= (one.getModifiers() & VISIBLE) != 0;
        }
        return open && !Modifier.isFinal(type.getModifiers());
    }

    static void add(Class<?> type, Set<String> methods) {
        if (type == null || type == Object.class) {
            return;
        }
        for (Method one : type.getDeclaredMethods()) {
            if ((one.getModifiers() & VISIBLE) != 0 && (one.getModifiers() & FIXED) == 0) {
                methods.add(one.getName());
            }
        }
        add(type.getSuperclass(), methods);
        for (Class<?> one : type.getInterfaces()) {
            add(one, methods);
        }
    }
}
