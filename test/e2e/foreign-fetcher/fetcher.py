"""A fetcher in another language (F37): takes URLs from Orbweaver, fetches them, hands in links and what came of them.

Standard library only. Runs until it is stopped; prints one JSON object a line for each thing that happens.
"""
import argparse
import hashlib
import json
import socket
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from html.parser import HTMLParser
from urllib.parse import urljoin


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A hop is a request of its own: Orbweaver makes a URL of it, at its host's pace."""

    def redirect_request(self, *_args):
        return None


web = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirects)
api = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def forbids_following(directives):
    """`nofollow` among the words of a robots meta element or an X-Robots-Tag field."""
    return bool({"nofollow", "none"} & set((directives or "").lower().replace(",", " ").split()))


class Links(HTMLParser):
    def __init__(self, base, followed):
        super().__init__(convert_charrefs=True)
        self.base, self.found, self.followed = base, [], followed

    def handle_starttag(self, tag, attributes):
        fields = dict(attributes)
        if tag == "base" and fields.get("href"):
            self.base = urljoin(self.base, fields["href"])
        if tag == "meta" and (fields.get("name") or "").lower() == "robots":
            self.followed = self.followed and not forbids_following(fields.get("content"))
        if tag == "a" and fields.get("href"):
            if not {"nofollow", "ugc", "sponsored"} & set((fields.get("rel") or "").lower().split()):
                self.found.append(urljoin(self.base, fields["href"]))


def say(**fields):
    print(json.dumps(fields), flush=True)


def post(options, path, body):
    headers = {"authorization": f"Bearer {options.key}", "content-type": "application/json"}
    request = urllib.request.Request(options.api + path, json.dumps(body).encode(), headers)
    with api.open(request, timeout=30) as answer:
        return json.load(answer)


def fetch(given, timeout):
    """Status, fields and body; an error class where there is no status."""
    request = urllib.request.Request(given["url"], headers={"user-agent": given["user_agent"]})
    try:
        with web.open(request, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read(), None
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers, answer.read(), None
    except (TimeoutError, socket.timeout) as error:
        return None, {}, b"", f"timeout: {error}"
    except urllib.error.URLError as error:
        refused = isinstance(error.reason, ConnectionRefusedError)
        return None, {}, b"", ("connect-refused" if refused else "reset") + f": {error.reason}"
    except OSError as error:
        return None, {}, b"", f"reset: {error}"


def work(options, given, ends):
    timeout = min(ends - time.monotonic(), 10)
    if timeout <= 0.1:
        return {"url": given["url"], "error": "not-tried"}
    status, fields, body, error = fetch(given, timeout)
    result = {
        "url": given["url"],
        "status": status,
        "error": error,
        "fetched_at": datetime.now(timezone.utc).isoformat(),
    }
    if status is None:
        return result
    if (fields.get("retry-after") or "").isdigit():
        result["retry_after_seconds"] = int(fields["retry-after"])
    if fields.get("location"):
        result["location"] = fields["location"]
    if status == 200:
        result["content_hash"] = hashlib.sha256(body).hexdigest()
        if "html" in (fields.get("content-type") or ""):
            hand_in(options, given, body, not forbids_following(fields.get("x-robots-tag")))
    return result


def hand_in(options, given, body, followed):
    """Before the page is reported: a fetcher that dies in between has the page fetched again, and loses no link."""
    links = Links(given["url"], followed)
    links.feed(body.decode("utf-8", "replace"))
    if not links.followed or not links.found:
        return
    candidates = [
        {"url": url, "parent_url": given["url"], "depth": given["depth"] + 1}
        for url in links.found
        if url.startswith("http")
    ]
    answer = post(options, "/dedup/check_and_add", {"crawl_id": given["crawl_id"], "candidates": candidates[:5000]})
    say(event="links", new=len(answer["new_urls"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--api", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--lease-seconds", type=int, default=10)
    parser.add_argument("--ack", choices=["yes", "late", "never"], default="yes")
    options = parser.parse_args()
    while True:
        for shard in range(options.shards):
            asked = time.monotonic()
            wanted = {"fetcher_id": "python", "batch_size": 20, "lease_seconds": options.lease_seconds}
            batch = post(options, f"/frontier/{shard}/lease_batch", wanted)
            if not batch["urls"]:
                say(event="nothing")
                continue
            for given in batch["urls"]:
                result = work(options, given, asked + batch["expires_in_seconds"])
                say(event="fetched", url=given["url"], status=result.get("status"))
                if options.ack == "never":
                    continue
                if options.ack == "late":
                    time.sleep(max(0, asked + options.lease_seconds * 4 / 3 + 0.2 - time.monotonic()))
                report = {"lease_id": batch["lease_id"], "results": [result]}
                answer = post(options, f"/frontier/{shard}/ack", report)
                say(event="acked", url=given["url"], result=answer["results"][0]["result"])
        time.sleep(0.1)


main()
