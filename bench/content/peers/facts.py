"""Dates and authors as htmldate and trafilatura tell them: a JSON line with url and html comes in, one with both goes out."""
import json
import sys

from htmldate import find_date
from trafilatura.metadata import extract_metadata

for line in sys.stdin:
    page = json.loads(line)
    try:
        date = find_date(page["html"], url=page["url"], original_date=True)
    except Exception:
        date = None
    told = extract_metadata(page["html"], default_url=page["url"])
    author = told.author if told is not None else None
    print(json.dumps({"date": date, "authors": [] if author is None else author.split("; ")}), flush=True)
