"""Build the debtags data set from Debian's package indices; docs/debtags.md says how to get them.

Usage: build_debtags.py PACKAGES TRANSLATION_EN OUTPUT.npz

Every choice is by counting and by name, with no random numbers, so the same indices give the same
file, byte by byte.

Packages: programs (role::program) with at least 5 tags, described in English; of the packages that
    one source makes, the one with the most tags, since the others repeat its description. Of these,
    the ones with at least 2 of the tags below, and then with at least 12 of the words.
Tags: the 40 most frequent that say what a program does; left out are facets that say how or by
    whom it was made (MADE), unfinished ones (::TODO), and a tag that nearly always stands together
    with a more frequent one (a Jaccard index of 0.7 or more).
Words: three letters or more, in lower case, without English stop words; a plural in -s is counted
    as its singular where that occurs as well, and words that hardly ever come apart (in the same
    packages but for one in ten) are counted once, as the more frequent one. The 3,000 in most
    packages stay.
Order: by a hash of the name, so that the first two thirds are a fair training set.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

TAGS, WORDS = 40, 3000
MADE = ("role", "scope", "suite", "implemented-in", "made-of", "x11", "uitoolkit", "culture")
WORD = re.compile(r"[a-z][a-z+#]*[a-z+#]+")
NEARLY_ALWAYS, HARDLY_APART = 0.7, 0.9


def stanzas(path: Path) -> Iterator[dict[str, str]]:
    """The paragraphs of an index, each as its fields."""
    for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
        fields = re.split(r"\n(?=\S)", paragraph.strip())
        if fields != [""]:
            yield {name: value.strip() for name, _, value in (f.partition(":") for f in fields)}


def programs(packages: Path) -> dict[str, set[str]]:
    """Tags by package; the best tagged program of each source."""
    best: dict[str, tuple[int, str, set[str]]] = {}
    for fields in stanzas(packages):
        tags = {tag.strip() for tag in fields.get("Tag", "").split(",")}
        source = fields.get("Source", fields["Package"]).split()[0]
        if "role::program" in tags and len(tags) >= 5:
            candidate = (-len(tags), fields["Package"], tags)
            best[source] = min(best.get(source, candidate), candidate)
    return {name: tags for _, name, tags in best.values()}


def chosen_tags(tagged: dict[str, set[str]]) -> list[str]:
    """The most frequent tags that differ from one another."""
    holders: dict[str, set[str]] = {}
    for name, tags in tagged.items():
        for tag in tags:
            facet, _, value = tag.partition("::")
            if facet not in MADE and value != "TODO":
                holders.setdefault(tag, set()).add(name)
    kept: list[str] = []
    for tag in sorted(holders, key=lambda tag: (-len(holders[tag]), tag)):
        if all(jaccard(holders[tag], holders[other]) < NEARLY_ALWAYS for other in kept):
            kept.append(tag)
        if len(kept) == TAGS:
            return sorted(kept)
    raise SystemExit(f"only {len(kept)} tags; are these the whole indices?")


def jaccard(a: set[str], b: set[str]) -> float:
    """How far two sets are the same: 0 to 1."""
    return len(a & b) / len(a | b)


def word_counts(descriptions: dict[str, str]) -> dict[str, Counter[str]]:
    """Words by package, plurals counted as their singulars."""
    counts = {name: Counter(WORD.findall(text.lower())) for name, text in descriptions.items()}
    known = {word for words in counts.values() for word in words}
    for words in counts.values():
        for word in list(words):
            if len(word) < 3 or word in ENGLISH_STOP_WORDS:
                del words[word]
            elif word[-1] == "s" and word[-2] != "s" and word[:-1] in known:
                words[word[:-1]] += words.pop(word)
    return counts


def chosen_words(counts: dict[str, Counter[str]]) -> list[str]:
    """The words in most packages that differ from one another."""
    holders: dict[str, set[str]] = {}
    for name, words in counts.items():
        for word in words:
            holders.setdefault(word, set()).add(name)
    kept: list[str] = []
    by_holder: dict[str, list[str]] = {name: [] for name in counts}
    for word in sorted(holders, key=lambda word: (-len(holders[word]), word)):
        together = Counter(other for name in holders[word] for other in by_holder[name])
        least = HARDLY_APART * len(holders[word])
        if any(
            shared >= least and jaccard(holders[word], holders[other]) >= HARDLY_APART
            for other, shared in together.items()
        ):
            continue
        kept.append(word)
        for name in holders[word]:
            by_holder[name].append(word)
        if len(kept) == WORDS:
            break
    return sorted(kept)


def matrix(rows: list[Counter[str]], columns: list[str]) -> sp.csr_array:
    """Counts of the given columns in each row."""
    position = {name: i for i, name in enumerate(columns)}
    entries = [
        (i, position[name], count)
        for i, row in enumerate(rows)
        for name, count in row.items()
        if name in position
    ]
    i, j, values = (np.array(part) for part in zip(*entries, strict=True))
    return sp.csr_array((values, (i, j)), shape=(len(rows), len(columns)))


def main(packages: Path, translation: Path, output: Path) -> None:
    """Build the file and say what is in it."""
    tagged = programs(packages)
    described = {
        fields["Package"]: fields["Description-en"]
        for fields in stanzas(translation)
        if fields["Package"] in tagged
    }
    tags = chosen_tags({name: tagged[name] for name in described})
    counts = word_counts(
        {name: text for name, text in described.items() if len(tagged[name].intersection(tags)) > 1}
    )
    words = chosen_words(counts)
    kept = [
        name
        for name in sorted(counts, key=lambda name: sha256(name.encode()).digest())
        if len(set(counts[name]).intersection(words)) >= 12
    ]
    X = matrix([counts[name] for name in kept], words)
    Y = matrix([Counter(tagged[name]) for name in kept], tags)
    np.savez_compressed(
        output,
        counts=X.data.clip(max=255).astype(np.uint8),
        words=X.indices.astype(np.uint16),
        words_per_row=np.diff(X.indptr).astype(np.uint16),
        tags=Y.indices.astype(np.uint8),
        tags_per_row=np.diff(Y.indptr).astype(np.uint8),
        **{
            key: np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
            for key, names in (("word_names", words), ("tag_names", tags), ("row_names", kept))
        },
    )
    least = int(Y.sum(axis=0).min())
    sys.stdout.write(
        f"{X.shape[0]} packages, {X.shape[1]} words, {Y.shape[1]} tags (each of {least} or more), "
        f"{X.nnz} counts, {output.stat().st_size // 1000} kB\n"
    )


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*map(Path, sys.argv[1:]))
