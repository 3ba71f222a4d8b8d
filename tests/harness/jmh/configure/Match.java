import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.Pattern;

public class Match {
    public static void main(String[] args) throws Exception {
        List<String> names = Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8);
        for (int i = 1; i < args.length; i++) {
            for (String name : names) {
                System.out.print(Pattern.compile(args[i]).matcher(name).find() ? 1 : 0);
            }
            System.out.println();
        }
    }
}
