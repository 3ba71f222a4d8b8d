"""The methods of types of the JDK that a class may override, by package, type and parents.

After ``[package]`` come types, each as ``Type<parent<parent method method``. Parents are of the
same package, or begin below ``java/``. A type has the methods of its parents too. Those of
``Object`` are left out. This is the union of what reflection says in Java 17 and in Java 25.
"""

TABLE = """
[java/io]
BufferedInputStream<FilterInputStream; BufferedOutputStream<FilterOutputStream;
BufferedReader<Reader lines readLine; BufferedWriter<Writer newLine;
ByteArrayInputStream<InputStream; ByteArrayOutputStream<OutputStream reset size toByteArray
writeBytes writeTo; CharArrayReader<Reader; CharArrayWriter<Writer reset size toCharArray writeTo;
Closeable<lang/AutoCloseable; DataInput readBoolean readByte readChar readDouble readFloat
readFully readInt readLine readLong readShort readUTF readUnsignedByte readUnsignedShort
skipBytes; DataInputStream<DataInput<FilterInputStream; DataOutput write writeBoolean writeByte
writeBytes writeChar writeChars writeDouble writeFloat writeInt writeLong writeShort writeUTF;
DataOutputStream<DataOutput<FilterOutputStream; Externalizable<Serializable readExternal
writeExternal; FilterInputStream<InputStream; FilterOutputStream<OutputStream;
FilterReader<Reader; FilterWriter<Writer; Flushable flush; InputStream<Closeable available mark
markSupported read readAllBytes readNBytes reset skip skipNBytes transferTo;
InputStreamReader<Reader getEncoding; LineNumberReader<BufferedReader getLineNumber setLineNumber;
ObjectStreamClass<Serializable forClass getField getFields getName getSerialVersionUID;
ObjectStreamConstants; ObjectStreamField<lang/Comparable getName getOffset getType getTypeCode
getTypeString isPrimitive isUnshared setOffset; OutputStream<Closeable<Flushable write;
OutputStreamWriter<Writer getEncoding; PipedInputStream<InputStream connect receive;
PipedOutputStream<OutputStream connect; PipedReader<Reader connect; PipedWriter<Writer connect;
PrintStream<Closeable<FilterOutputStream<lang/Appendable charset checkError clearError format
print printf println setError writeBytes; PrintWriter<Writer checkError clearError format print
printf println setError; PushbackInputStream<FilterInputStream unread; PushbackReader<FilterReader
unread; Reader<Closeable<lang/Readable mark markSupported readAllAsString readAllLines ready reset
skip transferTo; SequenceInputStream<InputStream; Serializable;
StringBufferInputStream<InputStream; StringReader<Reader; StringWriter<Writer getBuffer;
Writer<Closeable<Flushable<lang/Appendable write
[java/lang]
Appendable append; AutoCloseable close; CharSequence charAt chars codePoints getChars isEmpty
length subSequence; Character$Subset; Cloneable; Comparable compareTo;
Enum<io/Serializable<Comparable; InheritableThreadLocal<ThreadLocal childValue; Iterable forEach
iterator spliterator; Number<io/Serializable byteValue doubleValue floatValue intValue longValue
shortValue; Readable read; Record; Runnable run; ScopedValue$CallableOp call; Thread<Runnable
countStackFrames getContextClassLoader getId getStackTrace getState getUncaughtExceptionHandler
interrupt isInterrupted setContextClassLoader setUncaughtExceptionHandler start;
Thread$UncaughtExceptionHandler uncaughtException; ThreadDeath fillInStackTrace getCause
getLocalizedMessage getMessage getStackTrace initCause printStackTrace setStackTrace;
ThreadGroup<Thread$UncaughtExceptionHandler activeCount activeGroupCount allowThreadSuspension
enumerate isDestroyed list; ThreadLocal get initialValue remove set; Throwable<io/Serializable
fillInStackTrace getCause getLocalizedMessage getMessage getStackTrace initCause printStackTrace
setStackTrace
[java/lang/annotation]
Annotation annotationType
[java/lang/ref]
Cleaner$Cleanable clean; PhantomReference<Reference; Reference clear enqueue get isEnqueued;
ReferenceQueue poll remove; SoftReference<Reference; WeakReference<Reference
[java/lang/reflect]
InvocationHandler invoke
[java/security]
PrivilegedAction run; PrivilegedExceptionAction run
[java/util]
AbstractCollection<Collection; AbstractList<AbstractCollection<List removeRange; AbstractMap<Map;
AbstractMap$SimpleEntry<io/Serializable<Map$Entry;
AbstractMap$SimpleImmutableEntry<io/Serializable<Map$Entry;
AbstractQueue<AbstractCollection<Queue; AbstractSequentialList<AbstractList;
AbstractSet<AbstractCollection<Set;
ArrayDeque<io/Serializable<lang/Cloneable<AbstractCollection<Deque;
ArrayList<io/Serializable<lang/Cloneable<AbstractList<List<RandomAccess ensureCapacity trimToSize;
Arrays; Base64; Base64$Decoder decode wrap; Base64$Encoder encode encodeToString withoutPadding
wrap; BitSet<io/Serializable<lang/Cloneable and andNot cardinality clear flip get intersects
isEmpty length nextClearBit nextSetBit or previousClearBit previousSetBit set size stream
toByteArray toLongArray xor; Collection<lang/Iterable add addAll clear contains containsAll
isEmpty parallelStream remove removeAll removeIf retainAll size stream toArray; Collections;
Comparator compare reversed thenComparing thenComparingDouble thenComparingInt thenComparingLong;
Date<io/Serializable<lang/Cloneable<lang/Comparable after before getDate getDay getHours
getMinutes getMonth getSeconds getTime getTimezoneOffset getYear setDate setHours setMinutes
setMonth setSeconds setTime setYear toGMTString toInstant toLocaleString;
Deque<Queue<SequencedCollection descendingIterator offerFirst offerLast peekFirst peekLast
pollFirst pollLast pop push removeFirstOccurrence removeLastOccurrence; Dictionary elements get
isEmpty keys put remove size; EnumMap<io/Serializable<lang/Cloneable<AbstractMap;
EnumSet<io/Serializable<lang/Cloneable<AbstractSet; Enumeration asIterator hasMoreElements
nextElement; EventListener; EventListenerProxy<EventListener getListener;
EventObject<io/Serializable getSource; Formattable formatTo; FormattableFlags;
HashMap<io/Serializable<lang/Cloneable<AbstractMap<Map;
HashSet<io/Serializable<lang/Cloneable<AbstractSet<Set;
Hashtable<io/Serializable<lang/Cloneable<Dictionary<Map contains rehash;
IdentityHashMap<io/Serializable<lang/Cloneable<AbstractMap<Map; Iterator forEachRemaining hasNext
next remove; LinkedHashMap<HashMap<Map<SequencedMap removeEldestEntry;
LinkedHashSet<io/Serializable<lang/Cloneable<HashSet<SequencedSet<Set;
LinkedList<io/Serializable<lang/Cloneable<AbstractSequentialList<Deque<List;
List<Collection<SequencedCollection get indexOf lastIndexOf listIterator replaceAll set sort
subList; ListIterator<Iterator add hasPrevious nextIndex previous previousIndex set; Map clear
compute computeIfAbsent computeIfPresent containsKey containsValue entrySet forEach get
getOrDefault isEmpty keySet merge put putAll putIfAbsent remove replace replaceAll size values;
Map$Entry getKey getValue setValue; NavigableMap<SortedMap ceilingEntry ceilingKey
descendingKeySet descendingMap floorEntry floorKey higherEntry higherKey lowerEntry lowerKey
navigableKeySet; NavigableSet<SortedSet ceiling descendingIterator descendingSet floor higher
lower pollFirst pollLast; Observable addObserver clearChanged countObservers deleteObserver
deleteObservers hasChanged notifyObservers setChanged; Observer update;
PrimitiveIterator<Iterator; PrimitiveIterator$OfDouble<PrimitiveIterator nextDouble;
PrimitiveIterator$OfInt<PrimitiveIterator nextInt; PrimitiveIterator$OfLong<PrimitiveIterator
nextLong; PriorityQueue<io/Serializable<AbstractQueue comparator; Properties<Hashtable getProperty
list load loadFromXML propertyNames save setProperty store storeToXML stringPropertyNames;
Queue<Collection element offer peek poll; Random<io/Serializable doubles equiDoubles
ints isDeprecated longs next nextBoolean nextBytes nextDouble nextExponential nextFloat nextGaussian
nextInt nextLong setSeed; RandomAccess;
SequencedCollection<Collection addFirst addLast getFirst getLast removeFirst removeLast reversed;
SequencedMap<Map firstEntry lastEntry pollFirstEntry pollLastEntry putFirst putLast reversed
sequencedEntrySet sequencedKeySet sequencedValues; SequencedSet<SequencedCollection<Set;
Set<Collection; SortedMap<Map<SequencedMap comparator firstKey headMap lastKey subMap tailMap;
SortedSet<SequencedSet<Set comparator first headSet last subSet tailSet; Spliterator
characteristics estimateSize forEachRemaining getComparator getExactSizeIfKnown hasCharacteristics
tryAdvance trySplit; Spliterator$OfDouble<Spliterator$OfPrimitive;
Spliterator$OfInt<Spliterator$OfPrimitive; Spliterator$OfLong<Spliterator$OfPrimitive;
Spliterator$OfPrimitive<Spliterator; Spliterators$AbstractDoubleSpliterator<Spliterator$OfDouble;
Spliterators$AbstractIntSpliterator<Spliterator$OfInt;
Spliterators$AbstractLongSpliterator<Spliterator$OfLong;
Spliterators$AbstractSpliterator<Spliterator; Stack<Vector empty peek pop push search;
StringTokenizer<Enumeration countTokens hasMoreTokens nextToken; Timer cancel purge schedule
scheduleAtFixedRate; TimerTask<lang/Runnable cancel scheduledExecutionTime;
TreeMap<io/Serializable<lang/Cloneable<AbstractMap<NavigableMap;
TreeSet<io/Serializable<lang/Cloneable<AbstractSet<NavigableSet;
Vector<io/Serializable<lang/Cloneable<AbstractList<List<RandomAccess addElement capacity copyInto
elementAt elements ensureCapacity firstElement insertElementAt lastElement removeAllElements
removeElement removeElementAt setElementAt setSize trimToSize; WeakHashMap<AbstractMap<Map
[java/util/concurrent]
AbstractExecutorService<ExecutorService newTaskFor;
ArrayBlockingQueue<io/Serializable<util/AbstractQueue<BlockingQueue;
BlockingDeque<util/Deque<BlockingQueue putFirst putLast takeFirst takeLast;
BlockingQueue<util/Queue drainTo put remainingCapacity take; Callable call;
CompletableFuture<CompletionStage<Future complete completeAsync completeExceptionally
completeOnTimeout copy defaultExecutor getNow getNumberOfDependents isCompletedExceptionally join
minimalCompletionStage newIncompleteFuture obtrudeException obtrudeValue orTimeout;
CompletableFuture$AsynchronousCompletionTask; CompletionService poll submit take; CompletionStage
acceptEither acceptEitherAsync applyToEither applyToEitherAsync exceptionally exceptionallyAsync
exceptionallyCompose exceptionallyComposeAsync handle handleAsync runAfterBoth runAfterBothAsync
runAfterEither runAfterEitherAsync thenAccept thenAcceptAsync thenAcceptBoth thenAcceptBothAsync
thenApply thenApplyAsync thenCombine thenCombineAsync thenCompose thenComposeAsync thenRun
thenRunAsync toCompletableFuture whenComplete whenCompleteAsync;
ConcurrentHashMap<io/Serializable<util/AbstractMap<ConcurrentMap contains elements forEachEntry
forEachKey forEachValue keys mappingCount reduce reduceEntries reduceEntriesToDouble
reduceEntriesToInt reduceEntriesToLong reduceKeys reduceKeysToDouble reduceKeysToInt
reduceKeysToLong reduceToDouble reduceToInt reduceToLong reduceValues reduceValuesToDouble
reduceValuesToInt reduceValuesToLong search searchEntries searchKeys searchValues;
ConcurrentHashMap$KeySetView<io/Serializable<util/Collection<util/Set getMap getMappedValue;
ConcurrentLinkedDeque<io/Serializable<util/AbstractCollection<util/Deque;
ConcurrentLinkedQueue<io/Serializable<util/AbstractQueue<util/Queue; ConcurrentMap<util/Map;
ConcurrentNavigableMap<util/NavigableMap<ConcurrentMap;
ConcurrentSkipListMap<io/Serializable<lang/Cloneable<util/AbstractMap<ConcurrentNavigableMap;
ConcurrentSkipListSet<io/Serializable<lang/Cloneable<util/AbstractSet<util/NavigableSet;
CopyOnWriteArrayList<io/Serializable<lang/Cloneable<util/List<util/RandomAccess addAllAbsent
addIfAbsent; CopyOnWriteArraySet<io/Serializable<util/AbstractSet; CountDownLatch await countDown
getCount; CountedCompleter<ForkJoinTask compute onCompletion onExceptionalCompletion;
CyclicBarrier await getNumberWaiting getParties isBroken reset;
DelayQueue<util/AbstractQueue<BlockingQueue; Delayed<lang/Comparable getDelay; Exchanger exchange;
Executor execute; ExecutorCompletionService<CompletionService;
ExecutorService<lang/AutoCloseable<Executor awaitTermination invokeAll invokeAny isShutdown
isTerminated shutdown shutdownNow submit; Executors;
Flow$Processor<Flow$Publisher<Flow$Subscriber; Flow$Publisher subscribe; Flow$Subscriber
onComplete onError onNext onSubscribe; Flow$Subscription cancel request;
ForkJoinPool<AbstractExecutorService<ScheduledExecutorService awaitQuiescence
cancelDelayedTasksOnShutdown drainTasksTo externalSubmit getActiveThreadCount getAsyncMode
getDelayedTaskCount getFactory getParallelism getPoolSize getQueuedSubmissionCount
getQueuedTaskCount getRunningThreadCount getStealCount getUncaughtExceptionHandler
hasQueuedSubmissions invoke invokeAllUninterruptibly isQuiescent isTerminating lazySubmit
pollSubmission setParallelism submitWithTimeout; ForkJoinPool$ForkJoinWorkerThreadFactory
newThread; ForkJoinPool$ManagedBlocker block isReleasable; ForkJoinTask<io/Serializable<Future
complete completeExceptionally exec getRawResult reinitialize setRawResult tryUnfork;
ForkJoinWorkerThread<lang/Thread getPool getPoolIndex getQueuedTaskCount onStart onTermination;
Future cancel exceptionNow get isCancelled isDone resultNow state; FutureTask<RunnableFuture done
runAndReset set setException;
LinkedBlockingDeque<io/Serializable<util/AbstractQueue<BlockingDeque;
LinkedBlockingQueue<io/Serializable<util/AbstractQueue<BlockingQueue;
LinkedTransferQueue<io/Serializable<util/AbstractQueue<TransferQueue; Phaser arrive
arriveAndAwaitAdvance arriveAndDeregister awaitAdvance awaitAdvanceInterruptibly bulkRegister
forceTermination getArrivedParties getParent getRegisteredParties getRoot getUnarrivedParties
isTerminated onAdvance register;
PriorityBlockingQueue<io/Serializable<util/AbstractQueue<BlockingQueue comparator;
RecursiveAction<ForkJoinTask compute; RecursiveTask<ForkJoinTask compute; RejectedExecutionHandler
rejectedExecution; RunnableFuture<lang/Runnable<Future;
RunnableScheduledFuture<RunnableFuture<ScheduledFuture isPeriodic;
ScheduledExecutorService<ExecutorService schedule scheduleAtFixedRate scheduleWithFixedDelay;
ScheduledFuture<Delayed<Future;
ScheduledThreadPoolExecutor<ScheduledExecutorService<ThreadPoolExecutor decorateTask
getContinueExistingPeriodicTasksAfterShutdownPolicy
getExecuteExistingDelayedTasksAfterShutdownPolicy getRemoveOnCancelPolicy
setContinueExistingPeriodicTasksAfterShutdownPolicy
setExecuteExistingDelayedTasksAfterShutdownPolicy setRemoveOnCancelPolicy;
Semaphore<io/Serializable acquire acquireUninterruptibly availablePermits drainPermits
getQueuedThreads isFair reducePermits release tryAcquire;
SubmissionPublisher<lang/AutoCloseable<Flow$Publisher closeExceptionally consume
estimateMaximumLag estimateMinimumDemand getClosedException getExecutor getMaxBufferCapacity
getNumberOfSubscribers getSubscribers hasSubscribers isClosed isSubscribed offer submit;
SynchronousQueue<io/Serializable<util/AbstractQueue<BlockingQueue; ThreadFactory newThread;
ThreadLocalRandom<util/Random; ThreadPoolExecutor<AbstractExecutorService afterExecute
allowCoreThreadTimeOut allowsCoreThreadTimeOut beforeExecute getActiveCount getCompletedTaskCount
getCorePoolSize getKeepAliveTime getLargestPoolSize getMaximumPoolSize getPoolSize getQueue
getRejectedExecutionHandler getTaskCount getThreadFactory isTerminating prestartAllCoreThreads
prestartCoreThread purge remove setCorePoolSize setKeepAliveTime setMaximumPoolSize
setRejectedExecutionHandler setThreadFactory terminated;
ThreadPoolExecutor$AbortPolicy<RejectedExecutionHandler;
ThreadPoolExecutor$CallerRunsPolicy<RejectedExecutionHandler;
ThreadPoolExecutor$DiscardOldestPolicy<RejectedExecutionHandler;
ThreadPoolExecutor$DiscardPolicy<RejectedExecutionHandler; TransferQueue<BlockingQueue
getWaitingConsumerCount hasWaitingConsumer transfer tryTransfer
[java/util/concurrent/atomic]
AtomicBoolean<io/Serializable weakCompareAndSet weakCompareAndSetPlain;
AtomicInteger<io/Serializable<lang/Number; AtomicIntegerArray<io/Serializable;
AtomicIntegerFieldUpdater addAndGet compareAndSet decrementAndGet get getAndAdd getAndDecrement
getAndIncrement getAndSet incrementAndGet lazySet set weakCompareAndSet;
AtomicLong<io/Serializable<lang/Number; AtomicLongArray<io/Serializable addAndGet;
AtomicLongFieldUpdater addAndGet compareAndSet decrementAndGet get getAndAdd getAndDecrement
getAndIncrement getAndSet incrementAndGet lazySet set weakCompareAndSet; AtomicMarkableReference
attemptMark compareAndSet get getReference isMarked set weakCompareAndSet;
AtomicReference<io/Serializable; AtomicReferenceArray<io/Serializable; AtomicReferenceFieldUpdater
compareAndSet get getAndSet lazySet set weakCompareAndSet; AtomicStampedReference attemptStamp
compareAndSet get getReference getStamp set weakCompareAndSet;
DoubleAccumulator<io/Serializable<lang/Number accumulate get getThenReset reset;
DoubleAdder<io/Serializable<lang/Number add reset sum sumThenReset;
LongAccumulator<io/Serializable<lang/Number accumulate get getThenReset reset;
LongAdder<io/Serializable<lang/Number add decrement increment reset sum sumThenReset
[java/util/concurrent/locks]
AbstractOwnableSynchronizer<io/Serializable;
AbstractQueuedLongSynchronizer<io/Serializable<AbstractOwnableSynchronizer isHeldExclusively
tryAcquire tryAcquireShared tryRelease tryReleaseShared;
AbstractQueuedLongSynchronizer$ConditionObject<io/Serializable<Condition;
AbstractQueuedSynchronizer<io/Serializable<AbstractOwnableSynchronizer isHeldExclusively
tryAcquire tryAcquireShared tryRelease tryReleaseShared;
AbstractQueuedSynchronizer$ConditionObject<io/Serializable<Condition; Condition await awaitNanos
awaitUninterruptibly awaitUntil signal signalAll; Lock lock lockInterruptibly newCondition tryLock
unlock; LockSupport; ReadWriteLock readLock writeLock; ReentrantLock<io/Serializable<Lock
getHoldCount getOwner getQueuedThreads getWaitQueueLength getWaitingThreads hasWaiters
isHeldByCurrentThread isLocked; ReentrantReadWriteLock<io/Serializable<ReadWriteLock getOwner
getQueuedReaderThreads getQueuedThreads getQueuedWriterThreads getReadHoldCount getReadLockCount
getWaitQueueLength getWaitingThreads getWriteHoldCount hasWaiters isWriteLocked
isWriteLockedByCurrentThread; ReentrantReadWriteLock$ReadLock<io/Serializable<Lock;
ReentrantReadWriteLock$WriteLock<io/Serializable<Lock getHoldCount isHeldByCurrentThread;
StampedLock<io/Serializable asReadLock asReadWriteLock asWriteLock getReadLockCount isReadLocked
isWriteLocked readLock readLockInterruptibly tryConvertToOptimisticRead tryConvertToReadLock
tryConvertToWriteLock tryOptimisticRead tryReadLock tryUnlockRead tryUnlockWrite tryWriteLock
unlock unlockRead unlockWrite validate writeLock writeLockInterruptibly
[java/util/function]
BiConsumer accept andThen; BiFunction andThen apply; BiPredicate and negate or test;
BinaryOperator<BiFunction; BooleanSupplier getAsBoolean; Consumer accept andThen;
DoubleBinaryOperator applyAsDouble; DoubleConsumer accept andThen; DoubleFunction apply;
DoublePredicate and negate or test; DoubleSupplier getAsDouble; DoubleToIntFunction applyAsInt;
DoubleToLongFunction applyAsLong; DoubleUnaryOperator andThen applyAsDouble compose; Function
andThen apply compose; IntBinaryOperator applyAsInt; IntConsumer accept andThen; IntFunction
apply; IntPredicate and negate or test; IntSupplier getAsInt; IntToDoubleFunction applyAsDouble;
IntToLongFunction applyAsLong; IntUnaryOperator andThen applyAsInt compose; LongBinaryOperator
applyAsLong; LongConsumer accept andThen; LongFunction apply; LongPredicate and negate or test;
LongSupplier getAsLong; LongToDoubleFunction applyAsDouble; LongToIntFunction applyAsInt;
LongUnaryOperator andThen applyAsLong compose; ObjDoubleConsumer accept; ObjIntConsumer accept;
ObjLongConsumer accept; Predicate and negate or test; Supplier get; ToDoubleBiFunction
applyAsDouble; ToDoubleFunction applyAsDouble; ToIntBiFunction applyAsInt; ToIntFunction
applyAsInt; ToLongBiFunction applyAsLong; ToLongFunction applyAsLong; UnaryOperator<Function
[java/util/stream]
BaseStream<lang/AutoCloseable isParallel iterator onClose parallel sequential spliterator
unordered; Collector accumulator characteristics combiner finisher supplier;
DoubleStream<BaseStream allMatch anyMatch average boxed collect count distinct dropWhile filter
findAny findFirst flatMap forEach forEachOrdered limit map mapMulti mapToInt mapToLong mapToObj
max min noneMatch peek reduce skip sorted sum summaryStatistics takeWhile toArray;
DoubleStream$Builder<util/function/DoubleConsumer add build; DoubleStream$DoubleMapMultiConsumer
accept; Gatherer andThen combiner finisher initializer integrator; Gatherer$Downstream isRejecting
push; Gatherer$Integrator integrate; Gatherer$Integrator$Greedy<Gatherer$Integrator;
IntStream<BaseStream allMatch anyMatch asDoubleStream asLongStream average boxed collect count
distinct dropWhile filter findAny findFirst flatMap forEach forEachOrdered limit map mapMulti
mapToDouble mapToLong mapToObj max min noneMatch peek reduce skip sorted sum summaryStatistics
takeWhile toArray; IntStream$Builder<util/function/IntConsumer add build;
IntStream$IntMapMultiConsumer accept; LongStream<BaseStream allMatch anyMatch asDoubleStream
average boxed collect count distinct dropWhile filter findAny findFirst flatMap forEach
forEachOrdered limit map mapMulti mapToDouble mapToInt mapToObj max min noneMatch peek reduce skip
sorted sum summaryStatistics takeWhile toArray; LongStream$Builder<util/function/LongConsumer add
build; LongStream$LongMapMultiConsumer accept; Stream<BaseStream allMatch anyMatch collect count
distinct dropWhile filter findAny findFirst flatMap flatMapToDouble flatMapToInt flatMapToLong
forEach forEachOrdered gather limit map mapMulti mapMultiToDouble mapMultiToInt mapMultiToLong
mapToDouble mapToInt mapToLong max min noneMatch peek reduce skip sorted takeWhile toArray toList;
Stream$Builder<util/function/Consumer add build
"""
