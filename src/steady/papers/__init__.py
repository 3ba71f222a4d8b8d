"""The methods that do not run by default: most are of papers, and each loads when asked for.

What runs by default lives in the rooms that hold the registries. These name the methods here as
text (`steady.registry.OnRequest`). To add a
method, write it in a module here and one entry in its registry; the contract tests cover it then.
"""
