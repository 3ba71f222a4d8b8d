import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs the benchmark of each program, base and head, in a class loader of its own. */
public class Prove {
    public static void main(String[] given) throws Exception {
        for (String name : Files.readAllLines(Path.of(given[1]))) {
            for (String side : new String[] {"base", "head"}) {
                System.out.println("RESULT\t" + name + "\t" + side + "\t" + result(given[0], name, side));
            }
        }
        System.exit(0);
    }

    static String result(String jars, String name, String side) throws IOException {
        URL jar = new File(jars + "/" + side + "/" + name + "/b.jar").toURI().toURL();
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            Class<?> type = loader.loadClass(name + ".B");
            Object made = type.getDeclaredConstructor().newInstance();
            return String.valueOf(type.getMethod("run").invoke(made)).replace("\n", "|");
        } catch (Throwable thrown) {
            Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
            return "threw " + cause.getClass().getName();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
