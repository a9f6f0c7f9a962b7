"""No module imports another one that leads back to it, not even within a function."""

from graphlib import CycleError, TopologicalSorter

import grimp


def test_no_imports_go_in_a_circle():
    graph = grimp.build_graph("foa", "members", "ratings", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as circle:
        raise AssertionError(" → ".join(circle.args[1])) from None
