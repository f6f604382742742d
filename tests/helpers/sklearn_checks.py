"""scikit-learn checks that estimators fail on purpose, each with its reason."""

from __future__ import annotations

REFUSED = {"check_dtype_object": "arrays of objects are rejected: they hide texts, None and mixed numbers"}
NO_STATE = {"check_fit_score_takes_y": "fit trains all class pairs in one pass and keeps no state for partial_fit"}
ORDERED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight makes one step longer; a repeated row is a second "
    "step, taken elsewhere in the order"
    for kind in ("dense", "sparse")
}
