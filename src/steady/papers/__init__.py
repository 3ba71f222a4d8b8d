"""The methods of papers, by name: none of them is loaded by who does not ask for it.

What runs by default lives in the rooms that hold the registries. These name the methods here as
text (`steady.registry.OnRequest`), and import one when its value is first asked for. To add a
method, write it in a module here and one entry in its registry; the contract tests cover it then.
"""
