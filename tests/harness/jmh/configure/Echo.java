public class Echo {
    public static void main(String[] args) {
        for (String arg : args) {
            StringBuilder line = new StringBuilder();
            arg.codePoints().forEach(c -> line.append(c).append(' '));
            System.out.println(line);
        }
    }
}
