"""Crawls a site with Scrapy, items into a feed of JSON lines, and prints what it took."""

import json
import os
import resource
import sys
import time

import scrapy
from scrapy.crawler import CrawlerProcess

url, feed = sys.argv[1], sys.argv[2]


class Site(scrapy.Spider):
    name = "site"
    start_urls = [url]
    allowed_domains = ["127.0.0.1"]

    def parse(self, response):
        links = response.css("a::attr(href)").getall()
        yield {
            "url": response.url,
            "title": response.css("h1::text").get(),
            "text": " ".join("".join(response.css("article ::text").getall()).split()),
            "links": links,
        }
        yield from response.follow_all(links)


process = CrawlerProcess(
    settings={
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "FEEDS": {feed: {"format": "jsonlines"}},
    }
)
crawler = process.create_crawler(Site)
process.crawl(crawler)
cpu = os.times()
started = time.monotonic()
process.start()
seconds = time.monotonic() - started
after = os.times()
usage = resource.getrusage(resource.RUSAGE_SELF)
print(
    json.dumps(
        {
            "pages": crawler.stats.get_value("item_scraped_count", 0),
            "seconds": seconds,
            "cpuSeconds": after.user - cpu.user + after.system - cpu.system,
            "memoryMb": usage.ru_maxrss * 1024 / 1e6,
        }
    )
)
