"""The compiled code of the package, and its only public names.

Every kernel is a free function over arrays, except :class:`TextScorer` and :class:`ArrowTexts`: weights change in
place, counts go into the arrays of the state, the global interpreter lock is released during the loop, and nothing is
random.

A compiled module is loaded on the first use of one of its kernels: most commands need a third of them. A caller that
may not need a kernel looks it up when it calls it, as in ``_kernels.mira_slice(...)``. All signatures are in
``__init__.pyi``.
"""

import os
from typing import Any

from textperceptron._lazy import attach

_KERNELS_OF = {
    "arow": ("arow_slice",),
    "arrow": ("ArrowTexts",),
    "batch": ("batch_slice",),
    "character_tables": ("character_tables",),
    "characters": ("split_characters",),
    "conjunctions": ("count_pairs", "count_row_pairs", "rows_of_words", "write_pairs"),
    "count_rows": (
        "add_occurrences",
        "copy_documents",
        "count_documents",
        "write_count_rows",
        "write_hashed_rows",
        "write_presence_rows",
    ),
    "csr": (
        "first_beyond",
        "first_other_than_one",
        "first_outside",
        "first_repeat",
        "mean_class_weights",
        "mean_weights",
        "row_norms",
        "row_scores",
        "scale_rows",
        "rows_ascend",
        "unit_values",
    ),
    "hashed_pairs": ("expand_pairs", "pair_places", "survey_pairs"),
    "hashing": ("hash_names", "hash_terms"),
    "lines": ("cut_labelled", "cut_lines"),
    "log_count_ratio": ("add_column_sums", "interpolate", "log_ratios", "sum_unscaled"),
    "margin_dual": ("add_rows", "margin_dual_slice"),
    "mira": ("mira_slice",),
    "multiclass": ("arow_classes_slice", "class_scores", "mira_classes_slice", "perceptron_classes_slice"),
    "one_vs_all": ("arow_one_vs_all_slice", "mira_one_vs_all_slice", "perceptron_one_vs_all_slice"),
    "one_vs_one_dense": ("dense_votes", "dense_winners"),
    "one_vs_one_sparse": ("sparse_votes", "vote_winners"),
    "perceptron": ("perceptron_slice",),
    "predict_one": ("TextScorer",),
    "sorting": (
        "count_frequencies",
        "ngram_lengths",
        "order_by_frequency",
        "order_of_appearance",
        "sort_names",
        "sort_ngrams",
    ),
    "term_table": ("count_ngrams", "count_tokens", "keep_terms", "rehash", "token_keys"),
    "tokenize": ("find_pivots", "gram_starts", "join_near", "split_words", "text_block"),
    "vocabulary": (
        "count_slots",
        "fill_slots",
        "find_name",
        "find_terms",
        "first_bad_name",
        "first_descent",
        "name_offsets",
        "write_names",
    ),
    "voted": ("kernel_slice", "vote_scores"),
}

__all__ = sorted(name for names in _KERNELS_OF.values() for name in names)
_find = attach(__name__, _KERNELS_OF)


def __getattr__(name: str) -> Any:
    try:
        return _find(name)
    except ModuleNotFoundError as error:
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        if not (error.name or "").startswith(f"{__name__}.") or not os.path.exists(os.path.join(root, "setup.py")):
            raise
        raise ImportError(
            f"the textperceptron in {root} is not compiled for this Python: there is no {error.name}. Type "
            f'pip install -e "{root}" to compile it, or run Python in another folder to use an installed one.',
            name=__name__,
        ) from None
