"""
Scrapy over the web of a benchmark, as its page on broad crawls advises for throughput; robots.txt is obeyed, pages are
read for their links and not kept.
`python crawl.py SEEDS_FILE SETTINGS`: the settings of this run (JSON) come on top of those below.
"""

import json
import sys
from pathlib import Path

from scrapy import Request, Spider
from scrapy.core.downloader import Downloader
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.httpobj import urlparse_cached


class DownloaderByAuthority(Downloader):
    """Scrapy tells hosts apart by their names; those of the web differ by their ports. robots.txt is meant as well."""

    def get_slot_key(self, request):
        return urlparse_cached(request).netloc


class Links(Spider):
    name = "links"
    extractor = LinkExtractor(tags=("a",), attrs=("href",))

    async def start(self):
        # Those of start_urls are not filtered, so that each is fetched again where a page links to it.
        for seed in Path(sys.argv[1]).read_text().split():
            yield Request(seed)

    def parse(self, response):
        for link in self.extractor.extract_links(response):
            yield Request(link.url)


advised = {
    "CONCURRENT_REQUESTS": 100,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 15,
    "REACTOR_THREADPOOL_MAXSIZE": 20,
    "REDIRECT_ENABLED": False,
    "RETRY_ENABLED": False,
}
surroundings = {
    "DOWNLOADER": DownloaderByAuthority,
    # What goes wrong is said on standard error, and nothing else.
    "LOG_LEVEL": "ERROR",
    "REMOTE_CONTROL_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
}
process = CrawlerProcess({**advised, **surroundings, **json.loads(sys.argv[2])})
process.crawl(Links)
process.start()
