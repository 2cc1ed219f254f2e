"""The cases that a plan means: libraries in their versions and variants, codecs, interpreters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from serbench.errors import PlanError, check
from serbench.render.case import combinations, is_of_functions
from serbench.render.codec import Codec, codecs, formats
from serbench.render.environments import MAIN, Recipe, main_environment, normalised
from serbench.render.library import Library, libraries


class ChosenCase(NamedTuple):
    """A case before it is rendered."""

    library: Library
    variant: str
    codec: Codec
    recipe: Recipe


@dataclass(frozen=True)
class LibraryInstall:
    """A library as some environment has it.

    `requirement` is what brings it there, empty for what the library's own file says; `python` the
    interpreter, empty for the one of the library's file, or serbench's own; `codec` what brings a codec
    in a version of its own, such as "orjson==3.10.0".
    """

    library: Library
    requirement: str = ""
    python: str = ""
    codec: str = ""

    def recipe(self, served: Iterable[Codec] = ()) -> Recipe:
        """The recipe of its environment, which has these codecs beside the usual ones."""
        library = self.library
        if not self.requirement and not self.python and not self.codec and is_installed(library):
            return MAIN
        python = self.python or library.python
        needed = _needed(library, self.requirement, foreign=bool(self.python))
        needed = (*needed, self.codec) if self.codec else needed
        names = {_name(requirement) for requirement in needed}
        chosen = [codec for codec in codecs() if codec in served or (codec.core and not codec.only)]
        beside = {codec.distribution: codec for codec in chosen if not codec.only or library.name in codec.only}
        carried = (
            _with(codec, python) for name, codec in sorted(beside.items(), key=str) if name and _name(name) not in names
        )
        label = _label(library, needed, foreign=bool(self.python)) if needed else ""
        label = f"{label} + {self.codec}" if self.codec and label != self.codec else label
        return Recipe(needed, python, label, tuple(carried))


def selection(texts: Sequence[str], formats_: Sequence[str] = (), pythons: Sequence[str] = ()) -> list[ChosenCase]:
    """Library, variant, codec and environment of each case that is asked for.

    `texts` name libraries: "msgspec", "msgspec[gc=False]", "msgspec[*]", "pydantic@2.5", "pydantic@*",
    "installed" or "all"; empty for the core ones.

    Raises:
        PlanError: an unknown library, variant, format or codec, with the nearest known one.
    """
    chosen: dict[LibraryInstall, list[str]] = {}
    for text in texts or ("",):
        for install, variants in _installs(text.strip()):
            known = chosen.setdefault(install, [])
            known += [variant for variant in variants if variant not in known]
    served = chosen_codecs(formats_)
    selected = [
        ChosenCase(library, variant, codec, install.recipe(served if formats_ else ()))
        for asked, variants in chosen.items()
        for python in pythons or ("",)
        for install in [asked if python in ("", "main") else replace(asked, python=python)]
        for library, codec in combinations([install.library], served)
        for variant in variants
    ]
    if not selected:
        raise PlanError("nothing is left to measure: none of the chosen codecs works with the chosen libraries")
    return list(dict.fromkeys(selected))


def recipes(text: str, formats_: Sequence[str] = (), pythons: Sequence[str] = ()) -> list[Recipe]:
    """The environments of a library that is named as for `selection`.

    Raises:
        PlanError: an unknown library, version, format or codec.
    """
    served = chosen_codecs(formats_) if formats_ else ()
    installs = [
        install if python in ("", "main") else replace(install, python=python)
        for python in pythons or ("",)
        for install, _ in _installs(text)
    ]
    return [install.recipe(served) for install in installs]


def is_installed(library: Library) -> bool:
    """Return True if serbench's own installation has the library, in a version that its file is for."""
    main = main_environment()
    if any(main.installed(name) is None for name in library.distributions):
        return False
    return not library.distributions or supports_version(library, str(main.installed(library.distributions[0])))


def supports_version(library: Library, version: str) -> bool:
    """Return True if the library's file is for that version."""
    from packaging.specifiers import SpecifierSet

    return not library.versions or SpecifierSet(library.versions).contains(version, prereleases=True)


def usual_recipes() -> list[Recipe]:
    """The environment of each library."""
    return list(map(usual, libraries().values()))


def usual(library: Library) -> Recipe:
    """The environment of a library of which no version is asked for."""
    return LibraryInstall(library).recipe()


def parse_gate_side(name: str, library: str) -> str:
    """A side of a gate as the text of a selection: "orjson==3.10" is `library` with that codec."""
    distribution, equals, version = (part.strip() for part in name.partition("=="))
    if not equals:
        if codec_of(name) is not None or (name in formats() and name not in libraries()):
            raise PlanError(
                f"{name} is a codec or format, and a gate compares libraries, or versions of a codec such as "
                "orjson==3.13; name a library, and the codec with --format"
            )
        return name
    is_codec = any(codec.distribution == distribution and not codec.only for codec in codecs())
    is_library = any(_has_distribution(library, distribution) for library in libraries().values())
    if is_library and (library == distribution or not is_codec):
        return f"{distribution}@{version}"
    check("codec or library", distribution, [c.distribution for c in codecs() if c.distribution] + list(libraries()))
    return f"{library}+{distribution}=={version}"


def codec_of(name: str) -> str | None:
    """The distribution of a codec that is named by it or by its own name, and is no library; None if it is none."""
    if name in libraries() or any(_has_distribution(library, name) for library in libraries().values()):
        return None
    return next(
        (codec.distribution for codec in codecs() if name in (codec.distribution, codec.name) and codec.distribution),
        None,
    )


def _installs(text: str) -> list[tuple[LibraryInstall, list[str]]]:
    if is_of_functions(text):
        raise PlanError(
            f"{text} are functions; only run, recommend and verify measure them, verify without a further option"
        )
    everything = [LibraryInstall(library) for library in libraries().values()]
    if not text:
        return [(install, ["default"]) for install in everything if install.library.core]
    if text == "installed":
        return [(install, ["default"]) for install in everything if is_installed(install.library)]
    if text == "all":
        return [(install, ["default"]) for install in everything]
    name, version, codec, variant = _parts(text)
    check("library", name, (*libraries(), *(d for library in libraries().values() for d in library.distributions[:1])))
    generations = libraries_of(name) if version or name not in libraries() else [libraries()[name]]
    if version == "*":
        return [(LibraryInstall(generation), _variants(generation, variant)) for generation in generations]
    library = _for_version(generations, version, prefer=name)
    install = _of_version(library, version) if version else LibraryInstall(library)
    return [(_with_codec(install, codec), _variants(library, variant))]


def _with_codec(install: LibraryInstall, requirement: str) -> LibraryInstall:
    """The installation with a codec in a version of its own, which serbench's own installation may have."""
    if not requirement:
        return install
    name, _, version = requirement.partition("==")
    check("codec", name, (codec.distribution for codec in codecs() if codec.distribution))
    here = main_environment().installed(name)
    bare = not install.requirement and not install.python and is_installed(install.library)
    return install if bare and here and begins(here, version) else replace(install, codec=exactly(name, version))


def exactly(distribution: str, version: str) -> str:
    """The requirement of a version; "2.5" is the newest 2.5.x."""
    exact = version.count(".") >= 2 or re.search(r"[a-z]", version)
    return f"{distribution}=={version}" + ("" if exact else ".*")


def _parts(text: str) -> tuple[str, str, str, str | None]:
    """Name, version, codec and variant of "name@version+codec==version[variant]"."""
    match = re.fullmatch(r"([^\[\]@+]*)(?:@([^\[\]]*?))?(?:\+([A-Za-z][\w.-]*==[\w.!-]+))?(?:\[(.*)\])?", text.strip())
    if match is None:
        return text, "", "", None
    if match[2] is not None and not re.fullmatch(r"\*|\d[\w.!+-]*", match[2].strip()):
        raise PlanError(f"{text}: {match[2]!r} is not a version; write one such as {match[1]}@2.5 or {match[1]}@*")
    return match[1].strip(), (match[2] or "").strip(), match[3] or "", match[4]


def _variants(library: Library, variant: str | None) -> list[str]:
    names = ["default", *library.variants]
    if variant is None:
        return ["default"]
    if variant == "*":
        return names
    check(f"variant of {library.name}", variant, names)
    return [variant]


def _of_version(library: Library, version: str) -> LibraryInstall:
    """The library in that version; "2.5" is any 2.5.x."""
    if not library.distributions:
        raise PlanError(
            f"{library.name} is part of Python and has no version of its own; choose an interpreter with --python"
        )
    distribution = library.distributions[0]
    here = main_environment().installed(distribution) if is_installed(library) else None
    if here is not None and begins(here, version):
        return LibraryInstall(library)
    pinned = next((pin for pin in library.pins if _name(pin) == _name(distribution)), "")
    if begins(pinned.partition("==")[2], version):
        return LibraryInstall(library)
    return LibraryInstall(library, exactly(distribution, version))


def begins(version: str, beginning: str) -> bool:
    """Return True if a version is that one, or begins with it: 2.5.1 with 2.5."""
    return f"{version}.".startswith(f"{beginning}.")


def _for_version(generations: Sequence[Library], version: str, prefer: str = "") -> Library:
    """The one of a distribution's libraries whose file is for that version; if no version is given, the preferred one."""
    named = [generation for generation in generations if generation.name == prefer]
    fitting = [one for one in (*named, *generations) if version and version != "*" and supports_version(one, version)]
    if version and not fitting:
        ranges = ", ".join(f"{generation.name} {generation.versions}" for generation in generations)
        raise PlanError(f"serbench does not support version {version}: {ranges}")
    return (fitting or named or list(generations))[0]


def libraries_of(name: str) -> list[Library]:
    """Every library of that name, or that a distribution of that name brings: the generations of one library.

    Raises:
        PlanError: there is none.
    """
    distribution = libraries()[name].distributions[:1] if name in libraries() else (name,)
    generations = [
        library
        for library in libraries().values()
        if library.name == name or any(_has_distribution(library, d) for d in distribution)
    ]
    if not generations:
        check("library", name, libraries())
    return generations


def _has_distribution(library: Library, distribution: str) -> bool:
    return bool(library.distributions) and _name(library.distributions[0]) == normalised(distribution)


def _needed(library: Library, requirement: str, *, foreign: bool) -> tuple[str, ...]:
    """The requirements that bring a library; on a foreign interpreter, without pins, its newest that runs there."""
    names = {_name(name): name for name in library.distributions}
    if requirement:
        return (requirement, *(name for key, name in names.items() if key != _name(requirement)))
    if library.pins and not foreign:
        return library.pins
    if library.pins and not is_installed(library):
        return (library.pins[0], *library.distributions[1:])  # what it needs there is another matter
    first = [f"{name}{library.versions}" for name in library.distributions[:1]]
    return (*first, *library.distributions[1:])


def _label(library: Library, needed: Sequence[str], *, foreign: bool) -> str:
    """The requirement that tells the environment from others; on a foreign interpreter, any version is the library."""
    return library.name if foreign and not re.search(r"==", needed[0]) else needed[0]


def _with(codec: Codec, python: str) -> str:
    """The requirement of a codec: the version that serbench's own installation has, if the interpreter is its own."""
    here = None if python else main_environment().installed(codec.distribution)
    marker = f"; {codec.marker}" if codec.marker else ""
    return f"{codec.distribution}" + (f"=={here}" if here else "") + marker


def _name(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    return normalised(match[0]) if match else requirement


def chosen_codecs(names: Sequence[str]) -> tuple[Codec, ...]:
    """The codecs of the named formats; a name that is not a format is a codec, `codec/format` one of them.

    A format means its codecs as they are first documented, "json[*]" also with their options, "orjson[*]" one with its own.
    If no names are given, the core codecs; "all" is every codec.
    """
    if not names:
        return tuple(codec for codec in codecs() if codec.core)
    chosen: list[Codec] = []
    for text in names:
        base, options = text.removesuffix("[*]"), text.endswith("[*]")
        whole = [codec for codec in codecs() if codec.format == base and (options or "[" not in codec.name)]
        matching = whole or [codec for codec in codecs() if f"{codec.name}/{codec.format}" == text]
        if options and not matching:
            matching = [codec for codec in codecs() if codec.name.partition("[")[0] == base]
        matching = list(codecs()) if text == "all" else matching
        matching = matching or [codec for codec in codecs() if codec.name == text]
        if not matching:
            check("format", text, [*formats(), *(codec.name for codec in codecs())])
        chosen += [codec for codec in matching if codec not in chosen]
    return tuple(chosen)


def find_case(library: str, codec: str) -> tuple[LibraryInstall, str, Codec]:
    """The case that `serbench show LIBRARY CODEC` means, with the installation of its library.

    CODEC may be `codec/format`, a format (then the codec that the library's authors recommend for it,
    or the one of the format's own name, or its first) or a codec.
    """
    name, version, _, _ = _parts(library)
    check("library", name, libraries())
    if version == "*":
        raise PlanError(f"{library} are several; name one, such as {name}")
    [(install, variants)] = _installs(library)
    one = install.library
    pairs = [c for _, c in combinations([one])]
    names = {f"{c.name}/{c.format}": c for c in pairs}
    usual = f"{one.recommended.get(codec, codec)}/{codec}"
    alone = next((c for c in pairs if codec not in formats() and c.name == codec), None)
    first = next((c for c in pairs if c.format == codec), None)
    if match := names.get(codec) or alone or names.get(usual) or first:
        return install, variants[0], match
    check("codec", codec, [*(c.name for c in pairs), *names])
    raise AssertionError(codec)
