"""Signatures of all kernels, by the module that defines them; __init__.py loads them on first use.

``_Array`` is of any type that the fused type of a kernel allows: float32 or float64 for values and weights, int32 or
int64 for columns and row starts.
"""

from typing import Any, Self, TypeAlias, final

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

_Array: TypeAlias = npt.NDArray[Any]
_F64: TypeAlias = npt.NDArray[np.float64]
_F32: TypeAlias = npt.NDArray[np.float32]
_I64: TypeAlias = npt.NDArray[np.int64]
_I32: TypeAlias = npt.NDArray[np.int32]
_I8: TypeAlias = npt.NDArray[np.int8]
_U8: TypeAlias = npt.NDArray[np.uint8]
_U32: TypeAlias = npt.NDArray[np.uint32]
_U64: TypeAlias = npt.NDArray[np.uint64]

# arow.pyx
def arow_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I8, weight: _F64, order: _I64, w: _Array, sigma: _Array,
    counts: _I64, loss: _F64, r: float, pad: float,
) -> None: ...

# arrow.pyx
@disjoint_base
class ArrowTexts:
    def __new__(cls, column: object, schema: object, n_texts: int, n_bytes: int) -> Self: ...
    def is_text(self) -> bool: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> list[str | bytes | None]: ...

# batch.pyx
def batch_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I8, weight: _F64, order: _I64, w: _Array, delta: _F64,
    counts: _I64, loss: _F64, margin: float, pad: float,
) -> None: ...

# character_tables.pyx
def character_tables(classes: _U8, scripts: _U8, lower: _I32) -> None: ...

# characters.pyx
def split_characters(
    texts: list[str], start: int, stop: int, lower: bool, within_words: bool, min_n: int, max_n: int, utf8: _U8,
    classes: _U8, at: _I32, out: _U8, starts: _I32, stops: _I32, lengths: _I32,
) -> int: ...

# conjunctions.pyx
def rows_of_words(words: _I32, indptr: _I64, at: _I64, rows: _I32) -> None: ...
def count_pairs(
    words: _I32, indptr: _I64, starts: _I64, rows: _I32, codes: _I32, class_sizes: _I64, xlogx: _F64, of_classes: float,
    first: int, last: int, low: int, high: int, above: float, cursor: _I64, counts: npt.NDArray[np.integer[Any]],
    touched: _U8, partners: _I32, frequency: _I32, scores: _F64, n_partners: _I64,
) -> tuple[int, int]: ...
def count_row_pairs(
    words: _I32, indptr: _I64, starts: _I64, rows: _I32, pair_starts: _I64, partners: _I32, cursor: _I64, place: _I32,
    lengths: _I64,
) -> None: ...
def write_pairs(
    data: _Array, words: _I32, indptr: _I64, starts: _I64, rows: _I32, pair_starts: _I64, partners: _I32,
    first_column: int, scale: _Array, cursor: _I64, place: _I32, at: _I64, stops: _I64,
    indices: npt.NDArray[np.signedinteger[Any]], values: _Array,
) -> None: ...

# count_rows.pyx
def write_presence_rows(
    items: _I32, row_starts: _I64, columns: _I32, n_tokens: int, n_shared: int, spare: _I32, sizes: _I64, indices: _I32,
) -> int: ...
def write_count_rows(
    items: _I32, row_starts: _I64, columns: _I32, n_tokens: int, n_shared: int, spare: _I32, sizes: _I64, indices: _I32,
    data: _Array,
) -> int: ...
def write_hashed_rows(
    items: _I32, row_starts: _I64, signs: bool, bits: int, binary: bool, spare: _I32, sizes: _I64, indices: _I32,
    data: _Array,
) -> None: ...
def count_documents(
    items: _I32, row_starts: _I64, which: _I64, n_tokens: int, marks: _U64, order: _I32
) -> int: ...
def add_occurrences(items: _I32, row_starts: _I64, which: _I64, n_tokens: int, totals: _I64) -> None: ...
def copy_documents(items: _I32, row_starts: _I64, which: _I64, out: _I32) -> None: ...

# csr.pyx
def first_other_than_one(data: _Array) -> int: ...
def first_beyond(data: _Array, limit: float) -> int: ...
def first_outside(indices: _Array, n_columns: int) -> int: ...
def first_repeat(indices: _Array, indptr: _Array, stamp: _I64) -> int: ...
def rows_ascend(indices: _Array, indptr: _Array) -> bool: ...
def row_scores(
    data: _Array, indices: _Array, indptr: _Array, order: _I64, w: _Array, out: _F64, pad: float,
) -> None: ...
def mean_weights(w: _Array, total: _F64, out: _Array, seen: float) -> None: ...
def mean_class_weights(w: _Array, total: _F64, seen: _I64, out: _Array) -> None: ...
def scale_rows(
    data: _Array, indices: _Array, indptr: _Array, sublinear: bool, n_words: int, weight: float, norm: int,
) -> None: ...
def unit_values(indptr: _Array, values: _Array, norm: int) -> None: ...
def row_norms(data: _Array, indptr: _Array, out: _F64, pad: float) -> None: ...

# hashed_pairs.pyx
def expand_pairs(
    data: _Array, indices: _Array, indptr: _Array, which: _I64, n_columns: int, bits: int, beginnings: _U32,
    out_data: _Array, out_indices: _Array, out_indptr: _Array,
) -> None: ...
def pair_places(lower: _I64, upper: _I64, n_columns: int, bits: int, out: _I64) -> None: ...
def survey_pairs(
    columns: _I32, indptr: _I64, starts: _I64, rows: _I32, n_columns: int, bits: int, wanted: _I64, cursor: _I64,
    counts: _I32, partners: _I32, taken: _U8, lower: _I64, upper: _I64, in_rows: _I64, sharing: _I64,
) -> tuple[int, int]: ...

# hashing.pyx
def hash_terms(
    text: _U8, starts: _I32, stops: _I32, lengths: _I32, n_extra: _I32, min_n: int, max_n: int, n_features: int,
    signs: bool, items: _I32, row_stops: _I64,
) -> None: ...
def hash_names(offsets: _I64, arena: _U8, n_features: int, columns: _I32) -> None: ...

# lines.pyx
def cut_lines(head: bytes, block: bytes, start: int, stop: int) -> list[str]: ...
def cut_labelled(
    head: bytes, block: bytes, start: int, stop: int, prefix: bytes, ends_at_space: bool,
) -> tuple[list[str], list[str]] | None: ...

# log_count_ratio.pyx
def add_column_sums(data: _Array, indices: _Array, indptr: _Array, which: _I64, sums: _F64) -> None: ...
def log_ratios(
    inside: _F64, outside: _F64, inside_smoothing: float, outside_smoothing: float,
    average: float, scale: float, out: _F64,
) -> None: ...
def sum_unscaled(weights: _Array, column_weight: _Array) -> tuple[float, int]: ...
def interpolate(weights: _Array, column_weight: _Array, share: float, ratio_share: float, out: _Array) -> None: ...

# margin_dual.pyx
def margin_dual_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I8, sqnorm: _F64, order: _I64, alpha: _F64, w: _F64, score: _F64,
    pad: float,
) -> None: ...
def add_rows(data: _Array, indices: _Array, indptr: _Array, order: _I64, step: _F64, w: _F64, pad: float) -> None: ...

# mira.pyx
def mira_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I8, weight: _F64, order: _I64, metric: _F64, w: _Array,
    total: _F64, counts: _I64, loss: _F64, cap: float, ridge: float, pad: float,
) -> None: ...

# multiclass.pyx
def perceptron_classes_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I32, weight: _F64, order: _I64, metric: _F64, w: _Array,
    total: _F64, counts: _I64, loss: _F64, eta: float, margin: float, pad: float, n_classes: int, stride: int,
    bits: int, scratch_f64: _F64, scratch_i64: _I64,
) -> None: ...
def mira_classes_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I32, weight: _F64, order: _I64, metric: _F64, w: _Array,
    total: _F64, counts: _I64, loss: _F64, cap: float, ridge: float, pad: float, n_classes: int, stride: int, bits: int,
    scratch_f64: _F64, scratch_i64: _I64,
) -> None: ...
def arow_classes_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I32, weight: _F64, order: _I64, w: _Array, sigma: _Array,
    counts: _I64, loss: _F64, r: float, pad: float, n_classes: int, stride: int, bits: int, scratch_f64: _F64, scratch_i64: _I64,
) -> None: ...
def class_scores(
    data: _Array, indices: _Array, indptr: _Array, order: _I64, w: _Array, out: _F64, pad: float, stride: int,
    bits: int, scratch_f64: _F64, scratch_i64: _I64,
) -> None: ...

# one_vs_all.pyx
def perceptron_one_vs_all_slice(
    data: _Array, indices: _Array, indptr: _Array, label_starts: _I64, label: _I32, weight: _F64, order: _I64,
    metric: _Array, w: _Array, total: _F64, counts: _I64, loss: _F64, active: _I8, seen: _I64, updates: _I64,
    max_abs_weight: _F64, eta: float, margin: float, pad: float, first: int, n_classes: int, label_signs: _F32, scratch_f64: _F64,
    scratch_i64: _I64,
) -> None: ...
def mira_one_vs_all_slice(
    data: _Array, indices: _Array, indptr: _Array, label_starts: _I64, label: _I32, weight: _F64, order: _I64,
    metric: _Array, w: _Array, total: _F64, counts: _I64, loss: _F64, active: _I8, seen: _I64, updates: _I64,
    max_abs_weight: _F64, cap: float, ridge: float, pad: float, first: int, n_classes: int, label_signs: _F32, scratch_f64: _F64,
    scratch_i64: _I64,
) -> None: ...
def arow_one_vs_all_slice(
    data: _Array, indices: _Array, indptr: _Array, label_starts: _I64, label: _I32, weight: _F64, order: _I64,
    w: _Array, sigma: _Array, counts: _I64, loss: _F64, active: _I8, seen: _I64, updates: _I64, max_abs_weight: _F64,
    r: float, pad: float, first: int, n_classes: int, label_signs: _F32, scratch_f64: _F64, scratch_i64: _I64,
) -> None: ...

# one_vs_one_dense.pyx
def dense_votes(
    data: _Array, indices: _Array, indptr: _Array, order: _I64, tables: _Array, slot: _I32, intercept: _F64,
    lower: _I32, upper: _I32, votes: _I64, confidence: _F64,
) -> None: ...
def dense_winners(
    data: _F32, indices: _Array, indptr: _Array, order: _I64, tables: _F32, holds: _U8, n_whole: int, max_abs_weight: float,
    intercepts: _F32, slot: _I32, intercept: _F64, lower: _I32, upper: _I32, scores: _F32, guesses: _I32, wins: _I32,
    votes: _I32, confidence: _F64, winner: _I64,
) -> None: ...

# one_vs_one_sparse.pyx
def sparse_votes(
    data: _Array, indices: _Array, indptr: _Array, order: _I64, starts: _I64, block: _I32, lines: _Array,
    intercept: _F64, lower: _I32, upper: _I32, votes: _I64, confidence: _F64, scratch_f64: _F64, scratch_i64: _I64,
) -> None: ...
def vote_winners(votes: _I64, confidence: _F64, winner: _I64) -> None: ...

# perceptron.pyx
def perceptron_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I8, weight: _F64, order: _I64, metric: _F64, w: _Array,
    total: _F64, log: _I64, counts: _I64, loss: _F64, eta: float, margin: float, pad: float,
) -> None: ...

# predict_one.pyx
@final
class TextScorer:
    def __new__(
        cls, offsets: _I64, arena: _U8, slots: _U64, weights: _F32, lower: bool, single: bool, marks: int, min_n: int,
        max_n: int, prefixes: int, unspaced_n: int, characters: int, binary: bool, sublinear: bool, n_words: int,
        character_weight: float, norm: int, negator_offsets: _I64, negator_arena: _U8,
        negator_slots: _U64, stride: int, n_classes: int,
    ) -> Self: ...
    def code(self, text: str) -> int: ...
    def code_and_score(self, text: str) -> tuple[int, float]: ...
    def scores(self, text: str) -> list[float]: ...
    def top(self, text: str, n: int) -> list[tuple[int, float]]: ...
    def code_in(self, text: str, scratch: _U8) -> int: ...

# sorting.pyx
def order_of_appearance(seen_tokens: _I32, seen_ngrams: _I32, order: _I32) -> None: ...
def count_frequencies(terms: _I32, frequency: _I32, counts: _I64) -> None: ...
def order_by_frequency(terms: _I32, frequency: _I32, next_at: _I64, ordered: _I32, columns: _I32) -> None: ...
def ngram_lengths(keys: _U64, lengths: _I32) -> None: ...
def sort_ngrams(
    terms: _I32, ascending: _I32, keys: _U64, levels: _I32, level: int, position: _I32, rank: _I32, by_beginning: bool,
    shift: int, counts: _I32, ordered: _I32,
) -> None: ...
def sort_names(offsets: _I64, arena: _U8, items: _I32, keys: _U64, spare_keys: _U64, spare_items: _I32) -> None: ...

# term_table.pyx
def token_keys(seed: _U64, text: _U8, starts: _I32, stops: _I32, keys: _U64) -> None: ...
def count_tokens(
    seed: _U64, keys: _U64, text: _U8, starts: _I32, stops: _I32, lengths: _I32, n_extra: _I32, name_starts: _I64,
    counted: bool, row_starts: _I64, n_before: int, slots: _U64, records: _U64, offsets: _I64, arena: _U8, sizes: _I64,
    progress: _I64, items: _I32, first: _U8, n_seen: _I32,
) -> int: ...
def count_ngrams(
    seed: _U64, lengths: _I32, n_extra: _I32, row_starts: _I64, min_n: int, max_n: int, n_before: int, slots: _U64,
    records: _U64, sizes: _I64, progress: _I64, items: _I32, first: _U8, n_seen: _I32,
) -> int: ...
def keep_terms(
    items: _I32, first: _U8, starts: _I64, lengths: _I32, n_extra: _I32, min_n: int, row_starts: _I64
) -> None: ...
def rehash(old: _U64, new: _U64) -> None: ...

# tokenize.pyx
def text_block(texts: list[str], start: int, budget: int, lower: bool) -> tuple[int, int, int, int]: ...
def split_words(
    texts: list[str], start: int, stop: int, lower: bool, single: bool, marks: int, negation: bool, prefixes: int,
    unspaced_n: int, characters: int, stop_offsets: _I64, stop_arena: _U8, stop_slots: _U64, negator_offsets: _I64,
    negator_arena: _U8, negator_slots: _U64, utf8: _U8, classes: _U8, begins: _I32, ends: _I32, out: _U8, starts: _I32, stops: _I32,
    lengths: _I32, n_extra: _I32,
) -> int: ...
def gram_starts(lengths: _I32, n_extra: _I32, min_n: int, max_n: int, row_starts: _I64) -> None: ...
def find_pivots(
    text: _U8, starts: _I32, stops: _I32, offsets: _I64, arena: _U8, slots: _U64, following: _I64
) -> None: ...
def join_near(
    text: _U8, starts: _I32, stops: _I32, lengths: _I32, n_extra: _I32, following: _I64, window: int, out: _U8,
    out_starts: _I32, out_stops: _I32, out_extra: _I32,
) -> tuple[int, int, int]: ...

# vocabulary.pyx
def name_offsets(terms: _I32, keys: _U64, token_offsets: _I64, offsets: _I64) -> None: ...
def write_names(
    terms: _I32, keys: _U64, token_offsets: _I64, token_bytes: _U8, offsets: _I64, arena: _U8,
) -> None: ...
def fill_slots(offsets: _I64, arena: _U8, slots: _U64) -> int: ...
def first_descent(offsets: _I64) -> int: ...
def count_slots(slots: _U64) -> tuple[int, int, int]: ...
def first_bad_name(offsets: _I64, arena: _U8) -> int: ...
def find_terms(
    text: _U8, starts: _I32, stops: _I32, lengths: _I32, n_extra: _I32, min_n: int, max_n: int, offsets: _I64,
    arena: _U8, slots: _U64, columns: _I32, row_stops: _I64,
) -> None: ...
def find_name(name: bytes, offsets: _I64, arena: _U8, slots: _U64) -> int: ...

# voted.pyx
def kernel_slice(
    data: _Array, indices: _Array, indptr: _Array, y: _I8, weight: _F64, order: _I64, base: _F64, alpha: _F64,
    support: _I64, dense: _F64, log: _I64, counts: _I64, loss: _F64, eta: float, margin: float, pad: float, degree: int,
    coef0: float,
) -> None: ...
def vote_scores(
    data: _Array, indices: _Array, indptr: _Array, order: _I64, starts: _I64, holders: _I32, held: _F64, mistaken: _I32,
    steps: _F64, survived: _I64, products: _F64, votes: _F64, last: _F64, pad: float, degree: int, coef0: float,
) -> None: ...
