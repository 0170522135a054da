"""Structured data as extruct reads it: a JSON line with url and html comes in, one with what each syntax says goes out."""
import json
import logging
import sys

import extruct

logging.disable(logging.CRITICAL)
for line in sys.stdin:
    page = json.loads(line)
    told = {}
    for syntax in ("json-ld", "microdata", "rdfa", "opengraph"):
        try:
            told.update(extruct.extract(page["html"], base_url=page["url"], syntaxes=[syntax]))
        except Exception:
            told[syntax] = []
    # Properties of Open Graph are pairs.
    told["opengraph"] = [{name: value} for one in told["opengraph"] for name, value in one["properties"]]
    print(json.dumps(told), flush=True)
