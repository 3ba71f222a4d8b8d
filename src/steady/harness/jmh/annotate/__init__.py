"""A plan as annotations in sources: ``@Warmup``, ``@Measurement`` and ``@Fork``."""
