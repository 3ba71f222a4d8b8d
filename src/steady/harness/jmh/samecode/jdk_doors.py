"""The doors of the JDK: its methods by which code may run, or be read, that nobody names.

Everything in a package of the JDK is a door to anything, unless it is known to be less. So what a
later JDK adds counts as the worst.

Sources: the API specification of Java SE 25; JVMS 5.3 to 5.5; the specifications of the Java
platform on serialization, JNI and the JAR file.
"""

from __future__ import annotations

import re
from functools import cache

ANYTHING = "anything"
"""Any code or any file of the jar: by a name that is not known here, or by reading the jar."""
NAME, BUNDLE, RESOURCE = "name", "bundle", "resource"
"""A class, a bundle, or a file of the jar by its name, which is an argument."""
REFLECT = "reflect"
"""All members of classes that are at hand."""
GET_CLASS = "get class"
"""The classes of all objects are at hand."""
SERIALIZE = "serialize"
"""All members of the classes of all objects."""
METHOD = "method"
"""The methods of a name, of classes that are at hand."""
FIELDS = "fields"
"""All fields of classes that are at hand."""
CONSTRUCT = "construct"
"""All constructors of classes that are at hand."""
INVOKE = "invoke"
"""Methods of any name, of classes that are at hand: also of those of the JDK."""
TYPES = "types"
"""Classes that the members of classes at hand name are at hand too."""
FIELD_TYPES = "field types"
"""The classes of fields of classes at hand are at hand too."""
METHOD_TYPES = "method types"
"""What types a method has that was found: it came at hand with them; they may be the JDK's."""
NESTED = "nested"
"""The classes that a class at hand lists."""
SERVICE = "service"
"""What the files in ``META-INF/services`` name."""
MANIFEST = "manifest"
"""What the manifest says."""
STACK = "stack"
"""Lines and files of source code, as stack traces show them."""
GET_PROPERTIES, PUT_PROPERTIES = "get properties", "put properties"
"""Together they set properties of the system, by which the JDK finds classes."""

_SAFE = ""
_OF_JDK = re.compile(
    r"(?:java|javax|jdk|sun|netscape|com/sun|com/ibm|com/oracle|oracle|org/graalvm|com/azul|"
    r"org/(?:w3c/dom|xml/sax|ietf/jgss|omg|jcp))/.*",
    re.DOTALL,
)
_NEVER_OF_JDK = re.compile(
    r"javax/(?:annotation/(?!processing/|Generated|PostConstruct|PreDestroy|Resource)|inject/|"
    r"validation/|persistence/|servlet/|ws/rs/|cache/|json/).*",
    re.DOTALL,
)
"""What libraries put into packages that begin like the JDK's: JSR 305, and Java EE's."""
_LANG = (
    r"Appendable|AutoCloseable|Boolean|Byte|CharSequence|Character(\$.*)?|ClassValue|Cloneable|"
    r"Comparable|Double|Enum(\$.*)?|Float|InheritableThreadLocal|Integer|Iterable|Long|Math|Number|"
    r"Object|Readable|Record|Runnable|Runtime.*|Short|StrictMath|String|StringBuffer|StringBuilder|"
    r"System|Thread.*|Void|ScopedValue.*|Throwable|.*Exception|.*Error"
)
_LOADS = r"loadClass|findClass|findSystemClass|findLoadedClass"
_FILES_WRITTEN = (
    r"write.*|create.*|delete.*|newOutputStream|newBufferedWriter|exists|notExists|is.*|setPosix.*|"
    r"setAttribute|setLast.*|setOwner"
)
_CLASS_KNOWN = (
    r"getName|getSimpleName|getTypeName|getCanonicalName|isInstance|cast|is[A-Z][a-zA-Z]*|"
    r"getComponentType|componentType|hashCode|equals|toString|desiredAssertionStatus|getModifiers|"
    r"getClassLoader|getSuperclass|getInterfaces|asSubclass|getPackageName|getPackage|getModule|"
    r"arrayType|getClass|getEnumConstants"
)
_CLASS_TYPES = (
    r"getDeclaredClasses|getClasses|getEnclosingClass|getDeclaringClass|getNestHost|"
    r"getNestMembers|getPermittedSubclasses"
)
_USES_OF_MEMBER = (
    r"invoke|newInstance|(try)?[sS]etAccessible|canAccess|getParameterCount|getName|getModifiers|"
    r"is[A-Z][a-zA-Z]*(?<!AnnotationPresent)|hashCode|equals|toString|getDeclaringClass"
)
"""What is done with a method that some door has found, with which its types are at hand."""
_MANAGED = (
    r"ManagementFactory|(Runtime|Memory|GarbageCollector|OperatingSystem|Compilation|"
    r"ClassLoading|MemoryPool|MemoryManager|PlatformManaged)(MXBean|Object)|MemoryUsage|MemoryType"
)
_SECURITY = (
    r"MessageDigest.*|SecureRandom.*|Key.*|AccessController|Privileged.*|.*Exception|Signature.*|"
    r"Digest.*|AlgorithmParameter.*|Principal|Permission|BasicPermission|AccessControlContext|"
    r"Guard|PublicKey|PrivateKey|GeneralSecurityException|spec/.*|interfaces/.*"
)

_RULES = tuple(
    (re.compile(f"(?:{owner})", re.DOTALL), re.compile(f"(?:{name})"), door)
    for owner, name, door in (
        (r"java/lang/Class", r"forName", NAME),
        (r"java/lang/ClassLoader", _LOADS, NAME),
        (
            r"java/lang/(Class|ClassLoader|Module)",
            r"(get|getSystem|find)Resource.*|resources",
            RESOURCE,
        ),
        (r"java/lang/Class", r"isAnnotationPresent", REFLECT),
        (r"java/lang/Class", r"get(Declared)?Fields?", FIELDS),
        (r"java/lang/Class", r"getProtectionDomain|getSigners|forPrimitiveName", ANYTHING),
        (r"java/lang/Class", _CLASS_KNOWN, _SAFE),
        (r"java/lang/Class", r"get(Declared)?Method", METHOD),
        (r"java/lang/Class", r"get(Declared)?Methods", INVOKE),
        (r"java/lang/Class", r"newInstance|get(Declared)?Constructors?", CONSTRUCT),
        (r"java/lang/Class", _CLASS_TYPES, NESTED),
        (r"java/lang/Class", r".*", REFLECT),
        (
            r"java/lang/ClassLoader",
            r"get(Parent|SystemClassLoader|PlatformClassLoader|Name|UnnamedModule)|hashCode|equals|"
            r"toString|.*AssertionStatus",
            _SAFE,
        ),
        (r"java/lang/Package", r"getName|hashCode|equals", _SAFE),
        (r"java/lang/Package", r"get(Impl|Spec).*|isSealed|isCompatible.*|toString", MANIFEST),
        (r"java/lang/Package", r".*", ANYTHING),
        (
            r"java/lang/Module",
            r"canRead|is(Exported|Open|Named)|add(Reads|Exports|Opens)|get(Name|ClassLoader)",
            _SAFE,
        ),
        (r"java/lang/ProcessHandle", r"current|pid|isAlive", _SAFE),
        (r"java/lang/(Runtime|System)", r"load|loadLibrary|exec", ANYTHING),
        (r"java/lang/System", r"setPropert.*|getLogger|setSecurityManager", ANYTHING),
        (r"java/lang/System", r"getProperties", GET_PROPERTIES),
        (
            r"java/util/(Properties|Hashtable|Dictionary|Map(\$Entry)?|concurrent/ConcurrentMap)",
            r"put.*|load.*|merge|compute.*|replace.*|setValue",
            PUT_PROPERTIES,
        ),
        (r"java/util/Properties", r"setProperty", PUT_PROPERTIES),
        (r"java/.*", r"getStackTrace|printStackTrace|getAllStackTraces|dumpStack", STACK),
        (r"java/lang/Thread.*", r"uncaughtException", STACK),
        (
            r"java/lang/(StackWalker.*|SecurityManager)",
            r"getCallerClass|getDeclaringClass|getMethodType|getClassContext|current.*",
            ANYTHING,
        ),
        (r"java/lang/(StackWalker.*|StackTraceElement|SecurityManager)", r".*", STACK),
        (r"java/lang/Enum", r"getDeclaringClass", GET_CLASS),
        (r"java/lang/(Enum\$EnumDesc|invoke/VarHandle\$VarHandleDesc)", r"resolve.*", ANYTHING),
        (rf"java/lang/({_LANG})", r".*", _SAFE),
        (r"java/lang/(ref|annotation)/.*", r".*", _SAFE),
        (r"java/lang/management/ManagementFactory", r"newPlatform.*", ANYTHING),
        (rf"java/lang/management/({_MANAGED})", r".*", _SAFE),
        (r"java/lang/management/.*", r".*", STACK),
        (r"com/sun/management/HotSpotDiagnostic.*", r".*", _SAFE),
        (r"com/sun/management/OperatingSystem.*", r"[gs]et.*", _SAFE),
        (r"com/sun/management/VMOption", r".*", _SAFE),
        (r"com/sun/management/ThreadMXBean", r".*Allocated.*|.*Cpu.*", _SAFE),
        (r"java/lang/constant/.*", r"(?!resolve).*", _SAFE),
        (r"java/lang/runtime/.*", r".*", _SAFE),
        (r"java/lang/foreign/(?!Linker|SymbolLookup|AddressLayout\$Linker).*", r".*", _SAFE),
        (
            r"java/lang/invoke/MethodHandles\$Lookup",
            r"(find|unreflect)(Static)?(VarHandle|Getter|Setter)",
            FIELDS,
        ),
        (r"java/lang/invoke/MethodHandles\$Lookup", r"lookup.*|in|drop.*|has.*|toString", _SAFE),
        (
            r"java/lang/invoke/MethodHandles\$Lookup",
            r"find(Virtual|Static|Special)|bind|unreflect(Special)?|reveal.*|access.*|ensure.*",
            INVOKE,
        ),
        (r"java/lang/invoke/MethodHandles\$Lookup", r".*Constructor", CONSTRUCT),
        (r"java/lang/invoke/MethodHandles\$Lookup", r".*", ANYTHING),
        (r"java/lang/invoke/MethodHandles", r"reflectAs", REFLECT),
        (r"java/lang/invoke/(MethodHandleProxies|MethodHandleInfo)", r".*", REFLECT),
        (r"java/lang/invoke/ConstantBootstraps", r".*", FIELDS),
        (r"java/lang/invoke/SerializedLambda", r".*", ANYTHING),
        (r"java/lang/invoke/MethodType", r"fromMethodDescriptorString", ANYTHING),
        (r"java/lang/invoke/MethodType", r"returnType|(last)?[pP]arameter.*", TYPES),
        (r"java/lang/invoke/.*", r".*", _SAFE),
        (r"java/lang/reflect/(Array|Modifier|.*Exception|.*Error)", r".*", _SAFE),
        (r"java/lang/reflect/(Field|AccessibleObject)", r"getGeneric.*|.*Annotat.*", REFLECT),
        (r"java/lang/reflect/Field", r"getType", FIELD_TYPES),
        (r"java/lang/reflect/(Field|AccessibleObject)", r".*", FIELDS),
        (r"java/lang/reflect/(Method|Constructor)", _USES_OF_MEMBER, _SAFE),
        (
            r"java/lang/reflect/(Method|Constructor)",
            r"getReturnType|getParameterTypes",
            METHOD_TYPES,
        ),
        (r"java/lang/reflect/(Method|Constructor)", r"getExceptionTypes", TYPES),
        (r"java/lang/reflect/.*", r".*", REFLECT),
        (r"java/util/ServiceLoader.*", r".*", SERVICE),
        (r"java/util/ResourceBundle", r"getBundle", BUNDLE),
        (r"java/util/ResourceBundle\$Control|java/util/spi/.*|java/util/prefs/.*", r".*", ANYTHING),
        (r"java/util/concurrent/atomic/Atomic.*FieldUpdater", r"newUpdater", FIELDS),
        (r"java/util/zip/ZipFile|java/util/jar/JarFile", r".*", ANYTHING),
        (r"java/util/logging/LogManager", r"getLogManager|(get|add)Logger", _SAFE),
        (r"java/util/logging/(LogManager|.*Handler)", r"<init>|readConf.*|.*Listener", ANYTHING),
        (r"java/util/logging/Logger", r"logrb|setResourceBundle", ANYTHING),
        (
            r"java/util/logging/.*",
            r"log.*|info|warning|severe|fine.*|config|entering|exiting|throwing|publish|format.*|"
            r"getSource.*|push",
            STACK,
        ),
        (r"java/util/.*", r".*", _SAFE),
        # Nobody calls a method of a stream without having made it.
        (r"java/io/ObjectInputStream|java/io/File(InputStream|Reader)", r"<init>", ANYTHING),
        (r"java/io/ObjectOutputStream", r"<init>", SERIALIZE),
        (r"java/io/ObjectStreamClass", r".*", REFLECT),
        (r"java/io/RandomAccessFile", r"<init>", ANYTHING),
        (r"java/io/File", r"list.*|length|lastModified", ANYTHING),
        (r"java/io/.*", r".*", _SAFE),
        (r"java/nio/channels/.*FileChannel", r"open", ANYTHING),
        (r"java/nio/file/Files", _FILES_WRITTEN, _SAFE),
        (r"java/nio/file/FileSystems", r"getDefault", _SAFE),
        (r"java/nio/file/(Files|FileSystem.*|spi/.*|Watch.*|SecureDirectory.*)", r".*", ANYTHING),
        (r"java/nio/.*", r".*", _SAFE),
        (r"java/(math|time|text)/.*", r".*", _SAFE),
        (
            r"java/net/(URI|URL(En|De)coder|.*Address|.*Socket.*|.*Exception|Standard.*|"
            r"NetworkInterface|DatagramPacket|ProtocolFamily)",
            r".*",
            _SAFE,
        ),
        (
            r"java/net/URL",
            r"get(Path|File|Host|Protocol|Query|Ref|(Default)?Port|Authority|UserInfo)|toURI|"
            r"toString|toExternalForm",
            _SAFE,
        ),
        (rf"java/security/({_SECURITY})", r".*", _SAFE),
        (r"javax/crypto/.*|javax/xml/bind/DatatypeConverter", r".*", _SAFE),
        (
            r"(sun|jdk/internal)/misc/Unsafe",
            r"allocateInstance|ensureClass.*|shouldBe.*",
            CONSTRUCT,
        ),
        (r"(sun|jdk/internal)/misc/Unsafe", r"define.*", ANYTHING),
        (r"(sun|jdk/internal)/misc/Unsafe", r"objectField.*|staticField.*", FIELDS),
        (r"(sun|jdk/internal)/misc/Unsafe|sun/nio/ch/DirectBuffer", r".*", _SAFE),
        (r"jdk/incubator/vector/.*", r".*", _SAFE),
    )
)

_DANGER = re.compile(
    r"forName|load.*|define.*|find.*|get(Declared|System)?(Resource|Method|Field|Constructor|Class|"
    r"Annotation|Bundle|StackTrace|Properties|Protection|Package|Caller|RecordC|Permitted|Nest).*|"
    r"(new|allocate)Instance|newProxy.*|invoke.*|exec|start|set(System)?Propert.*|lookup|private.*|"
    r"unreflect.*|open.*|read.*|list.*|new(Input|Byte|File|Directory).*|walk.*|lines|copy|main|"
    r"addURL|append.*|register.*|add(Provider|Transformer)|init|resolve.*|instantiate|of|builder"
)
"""Names of methods that open a door somewhere in the JDK."""

_WORST = re.compile(
    r"java/lang/(?:Class|ClassLoader|Module|Package|Runtime|System|Process.*|reflect/.*|invoke/.*)|"
    r"java/util/(?:ServiceLoader|ResourceBundle|zip/ZipFile|jar/JarFile)|java/nio/file/Files|"
    r"java/io/Object.*Stream|java/io/File.*"
)
"""Classes by which reflection could open any door."""


def is_of_jdk(name: str) -> bool:
    """Tell whether a class may be one of the JDK's, by its package."""
    return _OF_JDK.fullmatch(name) is not None and _NEVER_OF_JDK.fullmatch(name) is None


@cache
def door(owner: str, name: str, descriptor: str = "") -> str:
    """Return which door a call of a method opens; empty if none."""
    if not is_of_jdk(owner):
        return _SAFE  # neither the jar nor the JDK has it
    if owner == "java/util/Scanner" and ("/File;" in descriptor or "/Path;" in descriptor):
        return ANYTHING
    if owner == "java/util/logging/Logger" and descriptor.startswith(
        ("(Ljava/lang/String;Ljava/lang/String;)Ljava/util/l", "(Ljava/lang/String;)Ljava/util/l")
    ):
        return ANYTHING if name == "getAnonymousLogger" or "String;Lj" in descriptor else _SAFE
    for owners, names, opened in _RULES:
        if owners.fullmatch(owner) and names.fullmatch(name):
            return opened
    return ANYTHING


@cache
def is_worst(name: str) -> bool:
    """Tell whether reflection on a class of the JDK could open any door."""
    return is_of_jdk(name) and (bool(_WORST.fullmatch(name)) or door(name, "\0") == ANYTHING)


def is_danger(method: str) -> bool:
    """Tell whether a method of this name may be a door, in a class that reflection often meets."""
    return _DANGER.fullmatch(method) is not None
