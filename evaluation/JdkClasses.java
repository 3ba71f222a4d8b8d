import java.io.OutputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes all classes of a JDK, which need not be the one that runs this, into a jar. */
public final class JdkClasses {

    /** The folder of the JDK, and the jar. */
    public static void main(String[] given) throws Exception {
        URI image = URI.create("jrt:/");
        try (FileSystem files = FileSystems.newFileSystem(image, Map.of("java.home", given[0]));
                Stream<Path> paths = Files.walk(files.getPath("/modules"));
                OutputStream out = Files.newOutputStream(Path.of(given[1]));
                ZipOutputStream jar = new ZipOutputStream(out)) {
            jar.setLevel(1);
            for (Path path : (Iterable<Path>) paths::iterator) {
                String name = path.toString().replaceFirst("^/modules/[^/]*/", "");
                if (name.endsWith(".class") && !name.equals("module-info.class")) {
                    jar.putNextEntry(new ZipEntry(name));
                    jar.write(Files.readAllBytes(path));
                }
            }
        }
    }
}
