"""Main texts as trafilatura finds them: JSON lists of pages on standard input, of texts on standard output."""
import json
import sys

import trafilatura


def main_text(html: str) -> str:
    # What readers wrote below is no part of the known texts.
    return trafilatura.extract(html, include_comments=False) or ""


json.dump([main_text(html) for html in json.load(sys.stdin)], sys.stdout)
