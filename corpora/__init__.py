"""Small corpora that come with the package; see README.md beside this file."""
