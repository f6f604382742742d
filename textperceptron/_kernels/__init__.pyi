"""The kernels and their types; __init__.py says in which module each is found."""

from textperceptron._kernels.arow import arow_slice
from textperceptron._kernels.assemble import add_occurrences, count_rows, renumber, sum_rows
from textperceptron._kernels.batch import batch_slice
from textperceptron._kernels.characters import split_characters
from textperceptron._kernels.check import (
    first_beyond,
    first_other_than_one,
    first_outside,
    first_repeat,
    rows_ascend,
)
from textperceptron._kernels.hashed import hash_names, hash_terms
from textperceptron._kernels.hashed_pairs import expand_pairs, pair_places, survey_pairs
from textperceptron._kernels.hull import add_rows, hull_slice, row_norms
from textperceptron._kernels.lengths import scale_rows
from textperceptron._kernels.lines import cut_labelled, cut_lines
from textperceptron._kernels.mira import mira_slice
from textperceptron._kernels.multiclass import (
    arow_classes_slice,
    class_scores,
    mean_class_weights,
    mira_classes_slice,
    perceptron_classes_slice,
)
from textperceptron._kernels.names import (
    count_slots,
    fill_slots,
    find_name,
    find_terms,
    first_bad_name,
    first_descent,
    name_offsets,
    write_names,
)
from textperceptron._kernels.one_text import classify_text, plan_text
from textperceptron._kernels.one_vs_all import arow_one_vs_all_slice, mira_one_vs_all_slice, perceptron_one_vs_all_slice
from textperceptron._kernels.one_vs_one import pair_votes, vote_winners
from textperceptron._kernels.ordering import (
    count_frequencies,
    gram_lengths,
    number_by_frequency,
    order_by_frequency,
    sort_grams,
    sort_names,
)
from textperceptron._kernels.pair_blocks import block_votes, block_winners
from textperceptron._kernels.pairs import count_pairs, count_row_pairs, rows_of_words, write_pairs
from textperceptron._kernels.perceptron import perceptron_slice
from textperceptron._kernels.prefixes import cut_prefixes
from textperceptron._kernels.scores import mean_weights, row_scores
from textperceptron._kernels.sums import add_class_sums
from textperceptron._kernels.terms import count_grams, count_tokens, keep_terms, regrow, token_keys
from textperceptron._kernels.tokens import gram_starts, split_words, text_block
from textperceptron._kernels.voted import kernel_slice, vote_scores
from textperceptron._kernels.windows import find_pivots, join_near

__all__ = [
    "add_class_sums",
    "add_occurrences",
    "add_rows",
    "arow_classes_slice",
    "arow_one_vs_all_slice",
    "arow_slice",
    "batch_slice",
    "block_votes",
    "block_winners",
    "class_scores",
    "classify_text",
    "count_frequencies",
    "count_grams",
    "count_pairs",
    "count_row_pairs",
    "count_rows",
    "count_slots",
    "count_tokens",
    "cut_labelled",
    "cut_lines",
    "cut_prefixes",
    "expand_pairs",
    "fill_slots",
    "find_name",
    "find_pivots",
    "find_terms",
    "first_bad_name",
    "first_beyond",
    "first_descent",
    "first_other_than_one",
    "first_outside",
    "first_repeat",
    "gram_lengths",
    "gram_starts",
    "hash_names",
    "hash_terms",
    "hull_slice",
    "join_near",
    "keep_terms",
    "kernel_slice",
    "mean_class_weights",
    "mean_weights",
    "mira_classes_slice",
    "mira_one_vs_all_slice",
    "mira_slice",
    "name_offsets",
    "number_by_frequency",
    "order_by_frequency",
    "pair_places",
    "pair_votes",
    "perceptron_classes_slice",
    "perceptron_one_vs_all_slice",
    "perceptron_slice",
    "plan_text",
    "regrow",
    "renumber",
    "row_norms",
    "row_scores",
    "rows_ascend",
    "rows_of_words",
    "scale_rows",
    "sort_grams",
    "sort_names",
    "split_characters",
    "split_words",
    "sum_rows",
    "survey_pairs",
    "text_block",
    "token_keys",
    "vote_scores",
    "vote_winners",
    "write_names",
    "write_pairs",
]
