"""Models for programs in other languages: JavaScript, C and ONNX, one file each.

==============  ========================================================================================
write           :func:`export_model`, which writes a file
portable        what a program needs of a model, and which models cannot be exported
characters      the tables of characters of this Python
javascript      classifier.js and program.js with the data of a model
c               classifier.c with the data of a model
onnx_graph      standard operators, from terms to labels
==============  ========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textperceptron._lazy import attach

if TYPE_CHECKING:
    from textperceptron.export.c import c_source
    from textperceptron.export.javascript import classifier_source, javascript_source, model_data, to_json
    from textperceptron.export.onnx_graph import MissingPackageError, onnx_bytes, onnx_terms
    from textperceptron.export.write import FORMATS, export_model, exported

__all__ = [
    "FORMATS",
    "MissingPackageError",
    "c_source",
    "classifier_source",
    "export_model",
    "exported",
    "javascript_source",
    "model_data",
    "onnx_bytes",
    "onnx_terms",
    "to_json",
]

__getattr__ = attach(
    __name__,
    {
        "c": ("c_source",),
        "javascript": ("classifier_source", "javascript_source", "model_data", "to_json"),
        "onnx_graph": ("MissingPackageError", "onnx_bytes", "onnx_terms"),
        "write": ("FORMATS", "export_model", "exported"),
    },
)
