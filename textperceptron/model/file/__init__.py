"""One file without pickle: named arrays behind a header of JSON, in the safetensors format.

Written so that a kill or a full disk leaves the file that was there before; read by mapping it into memory, after
everything that the header says about it was checked.
"""

from textperceptron.model.file.container import FORMAT, Container, first_not_finite
from textperceptron.model.file.errors import ModelFileError, naming
from textperceptron.model.file.read import open_container, read_header
from textperceptron.model.file.write import write_container

__all__ = [
    "FORMAT",
    "Container",
    "ModelFileError",
    "first_not_finite",
    "naming",
    "open_container",
    "read_header",
    "write_container",
]
