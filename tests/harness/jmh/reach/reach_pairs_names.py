"""Pairs of which head's code, or what it reads, is found by a name, by reflection or in a jar."""

from __future__ import annotations

from reach_pairs import Pair

_SERVICE = "META-INF/services/{0}.Log"
_BOTH = "public class B {{ public Object run() throws Exception {{ {} }} }} "

NAMES = (
    Pair("for_name", """
        public class B { public Object run() throws Exception { return Class.forName("for_name." + "Refl").getDeclaredConstructor().newInstance().toString(); } }
        class Refl { public String toString() { return "[[1||2]]"; } }"""),
    Pair("name_from_parts", """
        public class B { static String pack = "name_from_parts"; public Object run() throws Exception { return Class.forName(pack + ".Re" + "fl" + part()).getDeclaredConstructor().newInstance().toString(); }
          String part() { return "Impl".substring(0, 1); } }
        class ReflI { public String toString() { return "[[1||2]]"; } }"""),
    Pair("one_of_two_names", """
        public class B { static int n = 1; public Object run() throws Exception { return Class.forName(n > 0 ? "one_of_two_names.X" : "one_of_two_names.Y").getDeclaredConstructor().newInstance().toString(); } }
        class X { public String toString() { return "[[1||2]]"; } } class Y { }"""),
    Pair("only_in_head", """
        public class B { public Object run() throws Exception { try { return Class.forName("only_in_head.Fast").getDeclaredConstructor().newInstance().toString(); } catch (ClassNotFoundException e) { return 0; } } }
        [[||class Fast { public String toString() { return "1"; } }]]"""),
    Pair("load_class", """
        public class B { public Object run() throws Exception { return B.class.getClassLoader().loadClass("load_class.X").getDeclaredConstructor().newInstance().toString(); } }
        class X { public String toString() { return "[[1||2]]"; } }"""),
    Pair("literal_constructor", """
        public class B { public Object run() throws Exception { return make(X.class); } static Object make(Class<?> c) throws Exception { Constructor<?> k = c.getDeclaredConstructor(int.class); return k.newInstance(1).toString(); } }
        class X { final int v; X(int i) { v = i + [[1||2]]; } public String toString() { return "" + v; } }"""),
    Pair("find_static", """
        public class B { public Object run() throws Throwable { return (int) MethodHandles.lookup().findStatic(Mh.class, "f", MethodType.methodType(int.class)).invoke(); } }
        class Mh { static int f() { return [[1||2]]; } }"""),
    Pair("own_lookup", """
        public class B { public Object run() throws Throwable { return (int) MethodHandles.lookup().findStatic(MethodHandles.lookup().lookupClass(), "f", MethodType.methodType(int.class)).invoke(); }
          static int f() { return [[1||2]]; } }"""),
    Pair("get_method", """
        public class B { public Object run() throws Exception { return B.class.getDeclaredMethod("f").invoke(null); } static Object f() { return [[1||2]]; } }"""),
    Pair("get_method_of_class", """
        public class B { public Object run() throws Exception { Class<?> c = (Class<?>) Class.class.getMethod("forName", String.class).invoke(null, "get_method_of_class." + new StringBuilder("X"));
          return c.getDeclaredConstructor().newInstance().toString(); } }
        class X { public String toString() { return "[[1||2]]"; } }"""),
    Pair("method_by_type", """
        public class B { public Object run() throws Exception { for (Method m : new Sub().getClass().getDeclaredMethods()) if (m.getName().startsWith("te")) return m.invoke(new Sub()); return 0; } }
        class Sub { Object test() { return [[1||2]]; } }"""),
    Pair("class_of_field", """
        public class B { X x; public Object run() throws Exception { return B.class.getDeclaredField("x").getType().getDeclaredConstructor().newInstance().toString(); } }
        class X { public String toString() { return "[[1||2]]"; } }"""),
    Pair("private_count", """
        public class B { public Object run() { return X.class.getDeclaredMethods().length; } } class X { [[||private void more() { }]] }"""),
    Pair("field_count", """
        public class B { public Object run() { return X.class.getDeclaredFields().length; } } class X { int a; [[||int b;]] }"""),
    Pair("field_by_name", """
        public class B { public Object run() throws Exception { return X.class.getDeclaredField("a").get(null); } } class X { static int a = new Random(1).nextInt() > 9 ? 0 : [[1||2]]; }"""),
    Pair("annotation_value", """
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface A { int value(); }
        @A([[1||2]]) public class B { public Object run() { return B.class.getAnnotation(A.class).value(); } }"""),
    Pair("annotation_default", """
        @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface A { int value() default [[1||2]]; }
        @A public class B { public Object run() { return B.class.getAnnotation(A.class).value(); } }"""),
    Pair("signature", """
        public class B { public Object run() throws Exception { return X.class.getDeclaredField("a").getGenericType().toString(); } } class X { List<[[String||Integer]]> a; }"""),
    Pair("modifiers", """
        public class B { public Object run() { return X.class.getModifiers(); } } [[||final]] class X { }"""),
    Pair("serial_uid", """
        public class B { public Object run() { return ObjectStreamClass.lookup(Ser.class).getSerialVersionUID(); } }
        class Ser implements Serializable { int v = 3; [[||public int added() { return 7; }]] }"""),
    Pair("write_replace", """
        public class B { public Object run() throws Exception { ByteArrayOutputStream o = new ByteArrayOutputStream(); new ObjectOutputStream(o).writeObject(new Ser()); return o.size(); } }
        class Ser implements Serializable { private static final long serialVersionUID = 1; private Object writeReplace() { return "[[1||22]]"; } }"""),
    Pair("read_resolve", """
        public class B { public Object run() throws Exception { ByteArrayOutputStream o = new ByteArrayOutputStream(); new ObjectOutputStream(o).writeObject(new Ser());
          return new ObjectInputStream(new ByteArrayInputStream(o.toByteArray())) { protected Class<?> resolveClass(ObjectStreamClass c) throws IOException, ClassNotFoundException { return Class.forName(c.getName(), false, B.class.getClassLoader()); } }.readObject(); } }
        class Ser implements Serializable { private static final long serialVersionUID = 1; private Object readResolve() { return "[[1||22]]"; } }"""),
    Pair("bundle_class", """
        public class B { public Object run() { return ((Object[]) ResourceBundle.getBundle("bundle_class.Msgs", Locale.ENGLISH, B.class.getClassLoader()).getObject("k")).length; } }
        class Unused { } """, {"{0}/Msgs.properties": "k=1", "{0}/Msgs_en.properties": "k=[[1||2]]"}, proven=False),
    Pair("bundle_file", """
        public class B { public Object run() { return ResourceBundle.getBundle("bundle_file.Msgs", Locale.ENGLISH, B.class.getClassLoader()).getString("k"); } }""",
         {"{0}/Msgs.properties": "k=0", "{0}/[[Msgs_de||Msgs_en]].properties": "k=1"}),
    Pair("bundle_added", """
        public class B { public Object run() { return ResourceBundle.getBundle("bundle_added.Msgs", Locale.US, B.class.getClassLoader()).getString("k"); } }""",
         {"{0}/Msgs.properties": "k=0", "[[||{0}/Msgs_en_US.properties]]": "k=1"}),
    Pair("property_editor", """
        public class B { public Object run() { return java.beans.PropertyEditorManager.findEditor(B.class); } } [[||class BEditor extends java.beans.PropertyEditorSupport { }]]""", proven=False),
    Pair("beans_instantiate", """
        public class B { public Object run() throws Exception { return java.beans.Beans.instantiate(B.class.getClassLoader(), "beans_instantiate." + "X").toString(); } }
        class Y { }""", {"{0}/X.ser": "[[1||2]]"}, proven=False),
    Pair("xslt", """
        public class B { public Object run() throws Exception { return javax.xml.transform.TransformerFactory.newInstance(); } } class Ext { static Object calc() { return [[1||2]]; } }""", proven=False),
    Pair("child_jvm", """
        public class B { public Object run() throws Exception { return new ProcessBuilder("java", "-cp", System.getProperty("java.class.path"), "child_jvm.Child").start().waitFor(); } }
        class Child { public static void main(String[] a) { System.exit([[1||2]]); } }""", proven=False),
    Pair("native_code", """
        public class B { public Object run() { System.loadLibrary("x"); return f(); } native Object f(); } class Up { Object call() { return [[1||2]]; } }""", proven=False),
    Pair("own_loader", """
        public class B { public Object run() throws Exception { try (java.net.URLClassLoader l = new java.net.URLClassLoader(((java.net.URLClassLoader) B.class.getClassLoader()).getURLs(), null)) {
            return l.loadClass("own_loader.X").getMethod("f").invoke(null); } } }
        class X0 { } """ + "", {"x": "[[1||2]]"}, proven=False),
    Pair("logging_service", """
        public class B { public Object run() { for (Log l : ServiceLoader.load(Log.class, B.class.getClassLoader())) return l.log(); return 0; }
          public interface Log { Object log(); } public static class Impl implements Log { public Object log() { return [[1||2]]; } } }""",
         {"META-INF/services/{0}.B$Log": "{0}.B$Impl"}),
    Pair("other_provider", """
        public class B { public Object run() { for (Log l : ServiceLoader.load(Log.class, B.class.getClassLoader())) return l.log(); return 0; }
          public interface Log { Object log(); } public static class One implements Log { public Object log() { return 1; } } public static class Two implements Log { public Object log() { return 2; } } }""",
         {"META-INF/services/{0}.B$Log": "# who\n{0}.B$[[One||Two]]"}),
    Pair("charset_service", """
        public class B { public Object run() { return java.nio.charset.Charset.availableCharsets().size(); } public static class P extends java.nio.charset.spi.CharsetProvider {
          public Iterator<java.nio.charset.Charset> charsets() { return [[Collections.emptyIterator()||null]]; } public java.nio.charset.Charset charsetForName(String s) { return null; } } }""",
         {"META-INF/services/java.nio.charset.spi.CharsetProvider": "{0}.B$P"}, proven=False),
    Pair("logging_backend", """
        public class B { static final String K = System.getProperty("log", "logging_backend.Console"); public Object run() throws Exception { return ((Supplier<?>) Class.forName(K).getDeclaredConstructor().newInstance()).get(); } }
        class Console implements Supplier<Object> { public Object get() { return [[1||2]]; } }"""),
)  # fmt: skip

STACKS = (
    Pair("line_number", """
        public class B { public Object run() { return new Throwable().getStackTrace()[0].getLineNumber(); [[||\n]]} }"""
         .replace("[[||\n]]}", "}").replace("public Object run", "[[||\n]]public Object run")),
    Pair("print_trace", """
        public class B { [[||\n]] public Object run() { StringWriter w = new StringWriter(); new Exception().printStackTrace(new PrintWriter(w)); return w.toString(); } }"""),
    Pair("stack_walker", """
        public class B { [[||\n]] public Object run() { return StackWalker.getInstance().walk(s -> s.findFirst().get().getLineNumber()); } }"""),
    Pair("logger_caller", """
        public class B { [[||\n]] public Object run() { java.util.logging.Logger.getLogger("x").info("y"); return 0; } }""", proven=False),
    Pair("local_names", """
        public class B { public Object run() { String [[one||other]] = new Random(1).nextInt() > 9 ? "" : null; try { return [[one||other]].length(); } catch (NullPointerException e) { return e.getMessage(); } } }""", proven=False),
    Pair("method_name", """
        public class B { public Object run() { return [[f||g]](); } static Object [[f||g]]() { return new Throwable().getStackTrace()[0].getMethodName(); } }"""),
)  # fmt: skip

FILES = (
    Pair("resource_constant", """
        public class B { public Object run() throws Exception { return B.class.getResourceAsStream("/data.bin").readAllBytes().length; } }""", {"data.bin": "[[1||22]]"}),
    Pair("resource_put_together", """
        public class B { static int n = 3; public Object run() throws Exception { return B.class.getClassLoader().getResourceAsStream("d" + n).readAllBytes().length; } }""", {"d3": "[[1||22]]"}),
    Pair("resource_relative", """
        public class B { public Object run() throws Exception { return B.class.getResourceAsStream("data.bin").readAllBytes().length; } }""", {"{0}/data.bin": "[[1||22]]"}),
    Pair("resource_by_url", """
        public class B { public Object run() throws Exception { return B.class.getResource("/data.bin").openStream().readAllBytes().length; } }""", {"data.bin": "[[1||22]]"}),
    Pair("class_file", """
        public class B { public Object run() throws Exception { return B.class.getResourceAsStream("X.class").readAllBytes().length; } } class X { [[||int a;]] }"""),
    Pair("all_resources", """
        public class B { public Object run() throws Exception { return Collections.list(B.class.getClassLoader().getResources("META-INF/x")).size(); } }""", {"[[||META-INF/x]]": "1"}),
    Pair("package_version", """
        public class B { public Object run() { return B.class.getPackage().getImplementationVersion(); } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nImplementation-Build: 3\r\nImplementation-Version: [[1||2]]\r\n\r\n"}),
    Pair("build_in_manifest", """
        public class B { public Object run() throws Exception { return new java.util.jar.JarFile(((java.net.URLClassLoader) B.class.getClassLoader()).getURLs()[0].getPath()).getManifest().getMainAttributes().getValue("Build-Size"); } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nBuild-Size: [[1||2]]\r\n\r\n"}),
    Pair("multi_release", """
        public class B { public Object run() { return V.f(); } } class V { static int f() { return [[1||2]]; } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n", "{0}/V.class": "@base:V", "META-INF/versions/9/{0}/V.class": "@[[base||head]]:V"}),
    Pair("gained_release", """
        public class B { public Object run() { return V.f(); } } class V { static int f() { return [[1||2]]; } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n", "{0}/V.class": "@base:V", "[[||META-INF/versions/11/{0}/V.class]]": "@head:V"}),
    Pair("multi_release_on", """
        public class B { public Object run() { return V.f(); } } class V { static int f() { return [[1||2]]; } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nMulti-Release: [[false||true]]\r\n\r\n", "{0}/V.class": "@base:V", "META-INF/versions/9/{0}/V.class": "@head:V"}),
    Pair("signed", """public class B { public Object run() { return 1; } }""",
         {"META-INF/A.SF": "Signature-Version: 1.0\nSHA-256-Digest-Manifest: [[a||b]]\n"}, proven=False),
    Pair("class_path_class", """
        public class B { public Object run() throws Exception { return D.f(); } } class D { static int f() { return [[1||2]]; } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nClass-Path: lib/dep.jar\r\n\r\n", "{0}/D.class": "-", "!lib/dep.jar!{0}/D.class": "@[[base||head]]:D"}),
    Pair("class_path_resource", """
        public class B { public Object run() throws Exception { return B.class.getResourceAsStream("/data.bin").readAllBytes().length; } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nClass-Path: lib/dep.jar\r\n\r\n", "!lib/dep.jar!data.bin": "[[1||22]]"}),
    Pair("class_path_service", """
        public class B { public Object run() { for (Runnable r : ServiceLoader.load(Runnable.class, B.class.getClassLoader())) return r.toString(); return 0; } public static class P implements Runnable { public void run() { } public String toString() { return "[[1||2]]"; } } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nClass-Path: lib/de\r\n p.jar\r\n\r\n", "{0}/B$P.class": "-", "!lib/dep.jar!{0}/B$P.class": "@[[base||head]]:B$P", "!lib/dep.jar!META-INF/services/java.lang.Runnable": "{0}.B$P"}),
    Pair("class_path_nested", """
        public class B { public Object run() throws Exception { return D.f(); } } class D { static int f() { return [[1||2]]; } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nClass-Path: lib/a%20b.jar\r\n\r\n", "{0}/D.class": "-", "!lib/a b.jar!META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nclass-path: ../d.jar\r\n\r\n", "!d.jar!{0}/D.class": "@[[base||head]]:D"}),
    Pair("class_path_other", """
        public class B { public Object run() throws Exception { return D.f(); } } class D { static int f() { return [[1||2]]; } }""",
         {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nClass-Path: lib/[[one||two]].jar\r\n\r\n", "{0}/D.class": "-", "!lib/one.jar!{0}/D.class": "@base:D", "!lib/two.jar!{0}/D.class": "@head:D"}),
    Pair("bundled_like_jdk", """
        public class B { public Object run() throws Exception { H h = new H(); javax.xml.parsers.SAXParserFactory.newInstance().newSAXParser().parse(new ByteArrayInputStream("<a/>".getBytes()), h); return h.n; } }
        class H extends org.xml.sax.helpers.DefaultHandler { int n; public void startElement(String u, String l, String q, org.xml.sax.Attributes a) { n = [[1||2]]; } }""",
         {"org/xml/sax/helpers/DefaultHandler.class": "@base:B"}),
)  # fmt: skip
