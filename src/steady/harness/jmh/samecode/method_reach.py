"""Methods of head that a benchmark reaches, also beyond the first change.

The call graph of `decide` ends at changes, so it lacks methods that only changed code calls. This
module goes on from there, through the code of head.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from steady.harness.jmh.samecode import facts, jdk_effects
from steady.harness.jmh.samecode.class_file import ClassFile, Signature
from steady.harness.jmh.samecode.facts import Fact
from steady.harness.jmh.samecode.method_rules import Rules
from steady.samecode.exploration import Exploration
from steady.samecode.reachability import Graph, Reachability

_READING = re.compile(
    r"java/io/(?!ObjectInput).*|java/nio/(?:file|channels)/.*|java/util/(?:zip|jar)/.*|"
    r"java/util/Scanner|java/security/KeyStore.*|java/net/(?:URL|JarURL).*|java/util/ResourceBundle"
)
"""Types of the JDK whose methods may read any file, but run no code of the jars."""

_RESOURCES = re.compile(r"(?:get|getSystem|find)Resource.*|resources")


class RunRules(Rules):
    """Rules that follow changed methods too, as head runs them."""

    def followed_files(self, owner: str, signature: Signature) -> Sequence[ClassFile] | None:
        """Return the class files whose code of a method is followed; head's at a change."""
        unchanged = super().followed_files(owner, signature)
        if unchanged is not None:
            return unchanged
        files = [one for one in self.hierarchy.class_files[owner] if signature in one.methods]
        is_compared = not self.hierarchy.change_of(owner).incomparable
        return files[-1:] if is_compared else files


def reached_methods(
    before: Exploration, rules: RunRules, begins: Mapping[Fact, Collection[Fact]]
) -> frozenset[Fact] | None:
    """Return the facts about methods that may run in head.

    Parameters
    ----------
    before : Exploration
        The call graph up to the first changes.
    rules : RunRules
        Rules for the same classes.
    begins : mapping of Fact to collection of Fact
        The start of each group of benchmarks, with its initial facts. It includes those of
        `before`.

    Returns
    -------
    frozenset of Fact or None
        None if a benchmark may run any code, for example by a class name that is not constant.
    """
    rules.starts = begins
    changes = (fact for fact in before.nodes if fact[0] == facts.RUN and rules.is_change(fact))
    whole = before.continued(rules.follow, changes)
    whole.explore(begins)
    graph = _without_verification(whole)
    reached = Reachability(graph, [(whole.number(one),) for one in begins]).reached
    found = [fact for fact, bits in zip(whole.nodes, reached, strict=True) if bits]
    if any(map(_runs_any_code, found)):
        return None
    return frozenset(fact for fact in found if fact[0] == facts.RUN)


def _runs_any_code(fact: Fact) -> bool:
    if fact[:2] != (facts.JDK_CALL, jdk_effects.ANYTHING):
        return False
    return not (_READING.fullmatch(fact[2]) or (fact[2] and _RESOURCES.fullmatch(fact[3])))


def _without_verification(whole: Exploration) -> Graph:
    """Return the graph without methods that only matter to the verification of a class.

    A new method of a verified class may affect how a JVM compiles calls, but it does not run.
    """
    nodes, graph = whole.nodes, whole.graph
    edges = [
        [one for one in targets if nodes[one][0] != facts.RUN]
        if node[0] == facts.VERIFY
        else targets
        for node, targets in zip(nodes, graph.edges, strict=True)
    ]
    return Graph(edges, list(_without(graph.joins, nodes)))


def _without(
    joins: Iterable[tuple[int, int, int]], nodes: Sequence[Fact]
) -> Iterable[tuple[int, int, int]]:
    return (
        (one, other, then)
        for one, other, then in joins
        if nodes[other][0] != facts.VERIFY or nodes[then][0] != facts.RUN
    )
