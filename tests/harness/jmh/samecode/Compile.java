import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;

/** Compiles folders of sources, each with options of its own, and disassembles some of them. */
public final class Compile {

    /**
     * Each argument is a folder with {@code src} and in it {@code options.txt}; classes are written, and
     * into {@code javap.txt}, where there is one, what they hold.
     */
    public static void main(String[] folders) throws Exception {
        JavaCompiler javac = javax.tools.ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files =
                javac.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        ToolProvider javap = ToolProvider.findFirst("javap").get();
        for (String name : folders) {
            Path folder = Path.of(name);
            Path classes = Files.createDirectories(folder.resolve("classes"));
            files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
            String options = Files.readString(folder.resolve("src/options.txt")) + " -proc:none -nowarn";
            Iterable<? extends javax.tools.JavaFileObject> sources =
                    files.getJavaFileObjects(list(folder.resolve("src"), ".java"));
            List<String> words = List.of(options.split(" "));
            if (!javac.getTask(null, files, null, words, null, sources).call()) {
                System.exit(1);
            }
            if (!Files.exists(folder.resolve("javap.txt"))) {
                continue;
            }
            List<String> arguments = new ArrayList<>(List.of("-c", "-p", "-constants"));
            arguments.addAll(List.of(list(classes, ".class")));
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
            javap.run(out, System.err, arguments.toArray(new String[0]));
            Files.write(folder.resolve("javap.txt"), text.toByteArray());
        }
    }

    private static String[] list(Path folder, String suffix) throws Exception {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.map(Path::toString)
                    .filter(path -> path.endsWith(suffix))
                    .sorted()
                    .toArray(String[]::new);
        }
    }
}
