"""Code changes that each benchmark of JMH may reach, found in two jars before any JVM starts.

A benchmark runs the same code if nothing that it may reach differs. Both jars alone show this, so
no fork has to run for it, and no fork can be too short for it.

1. `class_path` reads what Java would read: names, duplicates, other releases, and all that
   ``Class-Path`` names. If no content differs, all benchmarks are the same.
2. `class_changes` compares the classes whose bytes differ, member by member; `resource_differences`
   compares all else: files, services, the manifest.
3. `class_hierarchy` joins the classes of both sides. The call graph has all that either side has,
   and a path through it ends at a difference. So it holds whatever base or head could run before
   they differ.
4. `class_rules` and `method_rules` derive facts from facts (`facts`): a method runs, a class is
   initialized, there may be an object of it. A virtual call reaches the methods of all classes of
   which there may be objects (rapid type analysis; Bacon and Sweeney, OOPSLA 1996). The JDK is not
   read: `jdk_callbacks` lists the methods that it may call on an object, and `jdk_effects` those of
   its methods by which code may run, or a file be read, that no code names. What is not known to be
   harmless may have any effect, and so may a type of neither the jars nor the JDK. Where a name is
   constant (`constant_arguments`), only that name counts.
5. `call_graph` builds the graph of these facts (`steady.samecode.exploration`) as far as any
   benchmark reaches, and finds the nearest change to each (`steady.samecode.reachability`).
6. `decide` decides for each benchmark whether it reaches a change, how near, and which.

These differences do not count: lines and names of source files, unless a stack trace may be read;
the order and time stamps of entries; attributes of the manifest that describe the build, and other
files, unless code that may run can read them. JMH itself is trusted to call nothing but the class
that it generates for a benchmark. If JMH, or a class that it names, changed, all benchmarks may
differ.

Not found are: methods that a JDK later than 25 adds to its types, where a class of the jar has a
method of that name by chance, or where they find code without returning a class or a member of one
(`evaluation/jdk_methods.py` reads a JDK for gaps in the table); environment variables that bring
other code (``JAVA_TOOL_OPTIONS``), which are the same for both sides; and code that no compiler
writes: a method that does not run and that a JVM refuses, so that its whole class cannot be used.
"""
