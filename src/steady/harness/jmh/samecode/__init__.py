"""Code changes that each benchmark of JMH can reach, found in two jars before any JVM starts.

A benchmark has an identical code path in base and head if nothing that it can reach differs. Only
the two jars are read; no fork has to run.

1. `class_path` reads the files that a JVM would read, including duplicates, versions for other
   releases of Java, and everything on the ``Class-Path``. If no content differs, all code paths are
   identical.
2. `class_changes` compares the classes whose bytes differ, member by member.
   `resource_differences` compares other files, services and the manifest.
3. `class_hierarchy` joins the classes of both sides. The call graph contains the methods and types
   of either side, and a path through it ends at a difference. So it covers all code that base or
   head can run before they differ.
4. `class_rules` and `method_rules` derive facts from facts (`facts`): a method runs, a class is
   initialized, an object of it may exist. A virtual call reaches the methods of all classes that
   may have objects (rapid type analysis; Bacon and Sweeney, OOPSLA 1996). The JDK is not read.
   Instead, `jdk_effects` lists the methods that the JDK may call on an object, and the methods of
   the JDK that may run code or read files by name. A method that is not known to be harmless may
   have any effect, and so may a type that is neither in the jars nor in the JDK. A name that is
   constant in the bytecode (`instructions.constant_strings`) stands only for itself.
5. `call_graph` builds the graph of these facts (`steady.samecode.exploration`) from all benchmarks,
   and finds the nearest change to each (`steady.samecode.reachability`). `decide` decides whether
   its code path is identical.
6. `method_reach` continues the graph beyond the changes, through the code of head.
   `changed_methods` lists the changed methods, and which of them a benchmark reaches.

Some differences are ignored: line numbers and names of source files, unless code may read a stack
trace; the order and time stamps of entries; attributes of the manifest that describe the build; and
other files, unless code that may run can read them. JMH is assumed to call only the class that it
generates for a benchmark. If JMH changed, or a class that it names, all benchmarks may differ.

Some changes are not found:

- Methods that a JDK later than 25 adds to its types, if a class in the jar has a method of the same
  name by chance, or if they find code without returning a class or a member of one
  (`evaluation/jdk_methods.py` searches a JDK for gaps in the table).
- Code that environment variables add (``JAVA_TOOL_OPTIONS``), which is the same on both sides.
- Code that no compiler writes: a method that does not run, but that a JVM rejects together with its
  class.
"""
