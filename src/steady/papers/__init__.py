"""Methods that are not used by default, mostly from papers; they are loaded on demand.

Default methods are implemented in the packages of the registries, which refer to the methods here
by name (`steady.registry.OnRequest`). To add a method, implement it in a module here and add an
entry to its registry; the contract tests then cover it.
"""
