"""Pairs of which head does just what base does, although classes or files differ."""

from __future__ import annotations

from reach_pairs import Pair

SAME = (
    Pair("only_main", """public class B { public Object run() { return 1; } public static void main(String[] a) throws Exception { System.out.println(Class.forName("[[x||y]]")); } }"""),
    Pair("private_of_many", """public class B { public Object run() { return L.used(); } }
        class L { static Object used() { return 1; } static Object other() { return hidden(); } private static Object hidden() { return [[1||2]]; } }"""),
    Pair("beside_foreign", """public class B { public Object run() { return L.used(); } }
        class L { static Object used() { return 1; } static Object loads() throws Exception { System.loadLibrary("x"); return Class.forName(System.getProperty("y")); } static Object other() { return [[1||2]]; } }"""),
    Pair("other_class", """public class B { public Object run() { return 1; } } class Other { int f() { return [[1||2]]; } }"""),
    Pair("added_class", """public class B { public Object run() { return 1; } } [[||class Other { }]]"""),
    Pair("never_made", """public class B { public Object run() { Base b = new One(); return b.f(); } }
        abstract class Base { abstract Object f(); } class One extends Base { Object f() { return 1; } } class Two extends Base { Object f() { return [[1||2]]; } }"""),
    Pair("lines_moved", """public class B { [[||\n\n]] public Object run() { return L.f(); } } class L { [[||\n]] static Object f() { return 1; } }"""),
    Pair("default_not_called", """public class B { public Object run() { return new I0().g(); } } interface I { default Object f() { return [[1||2]]; } default Object g() { return 1; } } class I0 implements I { }"""),
    Pair("other_lambda", """public class B { public Object run() { return L.a().get(); } } class L { static Supplier<Object> a() { return () -> 1; } static Supplier<Object> b() { return () -> [[1||2]]; } }"""),
    Pair("read_me", """public class B { public Object run() { return 1; } }""", {"README.md": "[[1||2]]", "META-INF/LICENSE": "[[1||2]]"}),
    Pair("other_resource", """public class B { public Object run() throws Exception { return B.class.getResourceAsStream("/mine").readAllBytes().length; } }""", {"mine": "1", "other": "[[1||22]]"}),
    Pair("manifest_build", """public class B { public Object run() { return "a".length(); } }""", {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nBuild-Time: [[1||2]]\r\n\r\n"}),
    Pair("other_name", """public class B { public Object run() throws Exception { return Class.forName("other_name.X").getDeclaredConstructor().newInstance().toString().length() > 1; } } class X { X() { } } class Y { int f() { return [[1||2]]; } }"""),
    Pair("compares_classes", """public class B { public Object run() { return new K().equals(new K()); } }
        class K { public boolean equals(Object o) { return o != null && getClass() == o.getClass(); } public int hashCode() { return getClass().getName().hashCode(); } Object other() { return [[1||2]]; } }"""),
    Pair("services_not_asked", """public class B { public Object run() { return 1; } public interface Log { } public static class Impl implements Log { Object f() { return [[1||2]]; } } }""", {"META-INF/services/{0}.B$Log": "{0}.B$Impl"}),
    Pair("constructed_only", """public class B { public Object run() throws Exception { return X.class.getDeclaredConstructor().newInstance().f(); } } class X { X() { } Object f() { return 1; } Object other() { return [[1||2]]; } }"""),
    Pair("method_of_name", """public class B { public Object run() throws Exception { return X.class.getDeclaredMethod("f").invoke(null); } } class X { static Object f() { return 1; } static Object other() { return [[1||2]]; } }"""),
    Pair("asserts", """public class B { public Object run() { assert L.check(); return L.f(); } } class L { static boolean check() { return true; } static Object f() { return 1; } static Object g() { return [[1||2]]; } }"""),
    Pair("enum_used_elsewhere", """public class B { public Object run() { return Col.A.name(); } } enum Col { A, B; Object other() { return [[1||2]]; } }"""),
    Pair("collections_only", """public class B { public Object run() { Map<Object, Object> m = new HashMap<>(); m.put("a", 1); return m.toString(); } } class K { public int hashCode() { return [[1||2]]; } public String toString() { return ""; } }"""),
    Pair("streams", """public class B { public Object run() { return Stream.of(1, 2).map(x -> x + 1).collect(Collectors.toList()); } } class L implements Function<Object, Object> { public Object apply(Object o) { return [[1||2]]; } }"""),
    Pair("inner_of_other", """public class B { public Object run() { return O.f(); } } class O { static Object f() { return 1; } static class In { Object g() { return [[1||2]]; } } }"""),
    Pair("record_elsewhere", """public class B { public Object run() { return new R(1).toString(); } } record R(int a) { Object other() { return [[1||2]]; } }"""),
    Pair("old_release", """public class B { public Object run() { return 1; } } class V { static int f() { return [[1||2]]; } }""", {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n", "META-INF/versions/9/{0}/V.class": "@[[base||head]]:V"}),
    Pair("class_path_beside", """public class B { public Object run() { return 1; } } class D { static int f() { return [[1||2]]; } }""", {"META-INF/MANIFEST.MF": "Manifest-Version: 1.0\r\nClass-Path: lib/dep.jar\r\n\r\n", "{0}/D.class": "-", "!lib/dep.jar!{0}/D.class": "@[[base||head]]:D"}),
    Pair("uncalled_override", """public class B { public Object run() { return new ArrayList<>(List.of(1)).size(); } } class L extends ArrayList<Object> { public int size() { return [[1||2]]; } }"""),
)  # fmt: skip
