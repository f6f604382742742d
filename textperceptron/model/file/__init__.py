"""Model files and checkpoints: named arrays behind a JSON header, in the safetensors format; no pickle.

Writes are atomic: a kill or a full disk leaves the previous file. Reads map the file into memory after every claim of
its header is checked.
"""

from textperceptron.model.file.safetensors_layout import FORMAT, ModelFileError, error_context
from textperceptron.model.file.tensor_file import (
    TensorFile,
    first_not_finite,
    open_tensor_file,
    read_header,
    write_tensor_file,
)

__all__ = [
    "FORMAT",
    "ModelFileError",
    "TensorFile",
    "error_context",
    "first_not_finite",
    "open_tensor_file",
    "read_header",
    "write_tensor_file",
]
