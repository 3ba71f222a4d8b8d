import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compiles programs of another language than Java, and runs both benchmarks of each. */
public final class Languages {
    private static final String[] SIDES = {"base", "head"};

    /**
     * Gets a compiler; then a file of compiler runs, one a line, with tabs between arguments; and a
     * file of programs, one a line: its package, and the classes and jars that it runs with.
     */
    public static void main(String[] given) throws Exception {
        for (String line : Files.readAllLines(Path.of(given[1]))) {
            if (!compile(given[0], line.split("\t"))) {
                System.exit(1);
            }
        }
        for (String line : Files.readAllLines(Path.of(given[2]))) {
            String[] parts = line.split("\t");
            for (String method : new String[] {"run", "still"}) {
                System.out.println(String.join("\t", "RESULT", parts[0], parts[1], method, result(parts, method)));
            }
        }
        System.exit(0);
    }

    private static boolean compile(String compiler, String[] words) throws Exception {
        Class<?> type = Class.forName(compiler);
        if (compiler.startsWith("org.jetbrains")) {
            Object made = type.getDeclaredConstructor().newInstance();
            Object code = type.getMethod("exec", PrintStream.class, String[].class).invoke(made, System.out, words);
            return code.toString().equals("OK");
        }
        Object report = type.getMethod("process", String[].class).invoke(null, (Object) words);
        return report instanceof Boolean
                ? (Boolean) report
                : !(Boolean) report.getClass().getMethod("hasErrors").invoke(report);
    }

    private static String result(String[] parts, String method) throws Exception {
        List<URL> places = new ArrayList<>();
        for (int i = 2; i < parts.length; i++) {
            places.add(new File(parts[i]).toURI().toURL());
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        URL[] urls = places.toArray(new URL[0]);
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            Class<?> type = loader.loadClass(parts[0] + ".B");
            Object made = type.getDeclaredConstructor().newInstance();
            return String.valueOf(type.getMethod(method).invoke(made)).replace("\n", "|");
        } catch (Throwable thrown) {
            Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
            return "threw " + cause;
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
