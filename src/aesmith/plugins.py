"""What extends aesmith: objects in modules of its own packages, and in modules that other distributions name.

A distribution names a module by an entry point, in its `pyproject.toml`:

    [project.entry-points."aesmith.families"]
    rolled = "rolled"

That module is like one of aesmith's own: what it has stands beside what aesmith has, and nothing else is to be edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Protocol, TypeVar

from aesmith.errors import PluginError, RequestError

FAMILIES, SBOXES = "aesmith.families", "aesmith.sboxes"
"""The groups of entry points."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class _Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_Named)


@dataclass(frozen=True)
class Extension:
    """What adds objects of a kind: their entry points are in `group`, and a module has them as `attribute`, either one
    or a tuple of several. `own` are aesmith's own modules, of which some may have none."""

    group: str
    attribute: str
    own: tuple[str, ...]

    def objects(self, kind: type[T]) -> dict[str, T]:
        """All objects of the kind by name: aesmith's own, then those of entry points, each in the order of names.

        Raises PluginError for an entry point that cannot be imported, for a module that has not what it should have,
        for a name that will not do, and for a name given twice.
        """
        found: dict[str, tuple[T, str]] = {}
        for origin, module in self._modules():
            for item in _objects(module, self.attribute, kind, origin):
                if not _NAME.fullmatch(item.name):
                    rule = "must be lower-case letters and digits in parts joined by -, and begin with a letter"
                    raise PluginError(f"{origin}: {self.attribute}: the name {rule}, not {item.name!r}")
                if item.name in found:
                    raise PluginError(
                        f"{origin}: {self.attribute}: there is {item.name} already, from {found[item.name][1]}; "
                        "choose another name, or uninstall one of them"
                    )
                found[item.name] = item, origin
        return {name: item for name, (item, _) in found.items()}

    def _modules(self) -> Iterator[tuple[str, ModuleType]]:
        for name in self.own:
            module = import_module(name)
            if hasattr(module, self.attribute):
                yield name, module
        for entry_point in _entry_points(self.group):
            origin = _origin(entry_point)
            try:
                module = entry_point.load()
            except RequestError as error:
                raise PluginError(f"{origin}: {error}") from error
            except Exception as error:
                raise PluginError(f"{origin}: cannot be imported ({type(error).__name__}: {error})") from error
            if not isinstance(module, ModuleType):
                raise PluginError(f"{origin}: must name a module that has {self.attribute}, not {entry_point.value}")
            if not hasattr(module, self.attribute):
                raise PluginError(f"{origin}: the module must have {self.attribute}, and has not")
            yield origin, module


def plugin_files() -> Iterator[tuple[str, Path]]:
    """Every file of the packages that entry points name, with its name in the package: what cores depend on, too."""
    roots = {
        entry_point.module.partition(".")[0] for group in (FAMILIES, SBOXES) for entry_point in _entry_points(group)
    }
    for root in sorted(roots):
        spec = find_spec(root)
        for place in (spec.submodule_search_locations or [spec.origin or ""]) if spec is not None else ():
            top = Path(str(place))
            files = [top] if top.is_file() else sorted(path for path in top.rglob("*") if path.is_file())
            yield from (
                (f"{root}/{path.relative_to(top).as_posix()}", path)
                for path in files
                if path.suffix != ".pyc" and "__pycache__" not in path.parts
            )


def _objects(module: ModuleType, attribute: str, kind: type[T], origin: str) -> tuple[T, ...]:
    given = getattr(module, attribute)
    items = given if isinstance(given, tuple) else (given,)
    for item in items:
        if not isinstance(item, kind):
            raise PluginError(
                f"{origin}: {attribute} must be of the class {kind.__name__}, or a tuple of such, not {item!r}"
            )
    return items


def _entry_points(group: str) -> list[EntryPoint]:
    """In the order of names; an installation that is seen twice on the way of imports counts once."""
    return sorted(set(entry_points(group=group)), key=lambda entry_point: (entry_point.name, entry_point.value))


def _origin(entry_point: EntryPoint) -> str:
    distribution = entry_point.dist
    where = f" of {distribution.name} {distribution.version}" if distribution is not None else ""
    return f"plug-in {entry_point.name}{where} ({entry_point.group}: {entry_point.value})"
