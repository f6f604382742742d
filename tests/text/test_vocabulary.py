"""The vocabulary is a mapping over arrays that a file can store."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.texts import AWKWARD, WIDE
from textperceptron._kernels import count_slots, first_bad_name, first_descent
from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.text.term_table import sorted_by_name
from textperceptron.text.vocabulary import Vocabulary, pack

names = st.lists(
    st.one_of(st.text(st.sampled_from(AWKWARD + WIDE)), st.text(st.sampled_from("ab\x00 "), max_size=40), st.text()),
    unique=True,
)


@given(names, names)
def test_look_ups_equal_those_of_a_dictionary(terms, others):
    vocabulary = Vocabulary.from_names(terms)
    expected = {term: column for column, term in enumerate(terms)}
    assert dict(vocabulary) == expected
    assert vocabulary == expected
    assert len(vocabulary) == len(terms)
    assert [vocabulary.name(column) for column in range(len(terms))] == terms
    for other in others:
        assert vocabulary.get(other) == expected.get(other)
        assert (other in vocabulary) == (other in expected)


@given(names)
def test_names_sort_as_python_sorts_strings(terms):
    arena, offsets = pack(terms)
    order = sorted_by_name(offsets, arena, np.arange(len(terms), dtype=np.int32))
    assert [terms[k] for k in order] == sorted(terms)


@pytest.mark.parametrize("shared", ["", "x" * 50, "é" * 7, "\x00" * 9])
def test_many_names_with_a_long_common_beginning_sort_right(shared):
    terms = [shared + str(number) for number in range(3000)] + [shared]
    arena, offsets = pack(terms)
    order = sorted_by_name(offsets, arena, np.arange(len(terms), dtype=np.int32))
    assert [terms[k] for k in order] == sorted(terms)


def test_lone_surrogates_survive_the_arena():
    terms = ["\ud83d", "\ude00", "\ud83d\ude00", "😀", "a\udfffb"]
    vocabulary = Vocabulary.from_names(terms)
    assert vocabulary.names() == terms
    bag = BagOfWords(analyzer="char").fit(["x\ud83d\ude00y"])
    assert sorted(bag.vocabulary_) == ["x", "y", "\ud83d", "\ude00"]


def test_it_can_be_memory_mapped_read_only(tmp_path):
    texts = [f"word{k} film{k % 7}" for k in range(500)]
    bag = BagOfWords(ngram_range=(1, 2)).fit(texts)
    for name, array in bag.vocabulary_.arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
    mapped = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in bag.vocabulary_.arrays()}
    again = BagOfWords(ngram_range=(1, 2), vocabulary=Vocabulary.from_arrays(mapped)).transform(texts)
    np.testing.assert_array_equal(again.toarray(), bag.transform(texts).toarray())


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("offsets", lambda a: a + 1),
        ("offsets", lambda a: a[::-1].copy()),
        ("offsets", lambda a: a.astype(np.int32)),
        ("arena", lambda a: a[:-1]),
        ("slots", lambda a: a[:2]),
        ("slots", lambda a: np.full_like(a, 1)),
        ("slots", lambda a: np.where(a == 0, a, a | np.uint64(0xFFFF))),
        ("slots", lambda a: a[1:]),
    ],
    ids=["moved", "reversed", "narrow", "short", "small", "full", "beyond", "odd"],
)
def test_damaged_arrays_are_rejected_before_a_lookup_could_leave_them(name, damage):
    arrays = Vocabulary.from_names(["a", "b", "cc"]).arrays()
    with pytest.raises(ValueError, match="vocabulary"):
        Vocabulary.from_arrays(arrays | {name: damage(arrays[name])})


GOLDEN = [
    (0, "4b24d35c00000001"), (1, "bf15408000000004"), (2, "76de447400000006"),
    (6, "50efc1a500000002"), (9, "bf4f090500000003"), (14, "c613cfa300000005"),
]  # fmt: skip


def test_stored_hashes_never_change():
    # A change of the hash would make vocabularies in old model files unreadable.
    slots = Vocabulary.from_names(["", "a", "good", "not good", "a name of more than sixteen bytes", "é😀"]).slots
    assert [(place, f"{int(slot):016x}") for place, slot in enumerate(slots) if slot] == GOLDEN


def test_pickle_keeps_names_and_columns():
    vocabulary = Vocabulary.from_names(["a", "b"])
    assert dict(pickle.loads(pickle.dumps(vocabulary))) == {"a": 0, "b": 1}


def test_unknown_and_wrong_names_raise_as_in_a_dictionary():
    vocabulary = Vocabulary.from_names(["a"])
    with pytest.raises(KeyError, match="b"):
        vocabulary["b"]
    with pytest.raises(KeyError, match="3"):
        vocabulary[3]
    assert repr(vocabulary) == "<Vocabulary of 1 names: 'a'>"


def is_text(name):
    try:
        name.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


# The first, middle and last bytes of UTF-8 sequences, and their neighbours.
EDGES = st.sampled_from(bytes.fromhex("00 41 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ed ef f0 f1 f3 f4 f5 ff"))
edges = st.lists(EDGES, max_size=6).map(bytes)
words = st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass"))


@given(st.lists(words | edges | st.binary(max_size=5), max_size=12), st.integers(0, 70))
def test_the_first_name_that_is_not_utf_8_is_found(names, n_ascii):
    names = [b"a" * n_ascii, *names]
    offsets = np.cumsum([0, *map(len, names)]).astype(np.int64)
    arena = np.frombuffer(b"".join(names) or b"", np.uint8)
    expected = next((column for column, name in enumerate(names) if not is_text(name)), -1)
    assert first_bad_name(offsets, arena) == expected


def test_every_sequence_of_two_bytes_is_validated_as_in_python():
    for first in range(256):
        for second in range(256):
            for name in (bytes([first, second]), bytes([first, second, 0x80]), bytes([first, second, 0x80, 0x80])):
                found = first_bad_name(np.array([0, len(name)]), np.frombuffer(name, np.uint8))
                assert (found == -1) == is_text(name), name


@pytest.mark.parametrize("place", [0, 1, 4094, 4095, 4096, 8191, 8192, 9998])
def test_the_first_offset_that_descends_is_found(place):
    offsets = np.repeat(np.arange(5000), 2)
    assert first_descent(offsets) == -1
    offsets[place + 1 :] -= 5000
    assert first_descent(offsets) == place


@given(st.lists(st.integers(0, 5) | st.integers(0, 2**64 - 1) | st.integers(0, 2**32 - 1).map(lambda n: n << 32)))
def test_used_slots_and_columns_are_counted_and_the_largest_column_is_found(values):
    slots = np.array(values, np.uint64)
    columns = slots.astype(np.uint32)
    expected = np.count_nonzero(slots), np.count_nonzero(columns), columns.max(initial=0)
    assert count_slots(slots) == expected
