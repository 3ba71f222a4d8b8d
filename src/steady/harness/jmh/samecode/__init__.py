"""What may have changed for each benchmark of JMH, read from two jars before any JVM starts.

A benchmark runs the same code if nothing that it may reach differs. What it may reach is a matter
of both jars alone, so no fork has to show it, and no fork is too short to show it.

1. `class_path` reads what Java would read: names, duplicates, other releases, and
   all that ``Class-Path`` names. If no content differs, all benchmarks are the same.
2. `changes` compares the classes whose bytes differ, method by method; `differences` compares all
   else: files, services, the manifest.
3. `library` holds the classes of both sides as one. What one side has, the graph has; a walk ends
   at what differs. So whatever base or head could do before it comes to a difference is in it.
4. `rules` and `code_rules` say what follows from a fact (`facts`): a method runs, a class is
   initialised, there may be an object of it. A call on an object reaches the methods of all classes
   of which there may be objects (rapid type analysis; Bacon and Sweeney, OOPSLA 1996). The JDK is
   not read: `jdk_callbacks` says which methods it may call on an object, and `jdk_effects` by which
   of its methods code may run, or a file be read, that nobody names. What is not known to be
   harmless is a door to anything, and so is a type of neither the jars nor the JDK. Where a name
   is constant (`arguments`), only that name counts.
5. `reached` builds the graph as far as any benchmark comes, and `kernel` spreads facts in it, for
   all benchmarks at once: each fact has one bit for each of them.
6. `decide` and `reached` say for each benchmark whether it reaches a change, how near, and which.

Changes that are left out on purpose: lines and names of source files, unless a stack trace may be
read; the order and time stamps of entries; attributes of the manifest that describe the build, and
other files, unless code that may run can read them. JMH itself is trusted to call nothing but the
class that it generates for a benchmark. If JMH, or a class that it names, changed, all benchmarks
may differ.

What is not seen: methods that a later JDK than 25 adds to types of the JDK, where a class of the
jar has a method of that name by chance, or where they find code without returning a class or a
member of one (`evaluation/jdk_methods.py` reads a JDK for what the table lacks); environment
variables that bring other code (``JAVA_TOOL_OPTIONS``), which are the same for both sides; and code
that no compiler writes: a method that does not run and that a JVM refuses, so that its whole class
cannot be used.
"""
