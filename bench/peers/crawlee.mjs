// Crawls a site with Crawlee's CheerioCrawler, items into its own dataset, and prints what it took.
import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio'

const [url] = process.argv.slice(2)
log.setLevel(LogLevel.ERROR)
Configuration.getGlobalConfig().set('availableMemoryRatio', 0.8)
let pages = 0
const crawler = new CheerioCrawler({
  minConcurrency: 16,
  maxConcurrency: 16,
  respectRobotsTxtFile: true,
  async requestHandler({ $, request, pushData, enqueueLinks }) {
    pages++
    await pushData({
      url: request.url,
      title: $('h1').text(),
      text: $('article').text().replace(/\s+/g, ' ').trim(),
      links: $('a')
        .map((_, element) => $(element).attr('href'))
        .get(),
    })
    await enqueueLinks({ strategy: 'same-origin' })
  },
})
const cpuBefore = process.cpuUsage()
const startedAtMs = performance.now()
await crawler.run([url])
const seconds = (performance.now() - startedAtMs) / 1000
const { user, system } = process.cpuUsage(cpuBefore)
const memoryMb = (process.resourceUsage().maxRSS * 1024) / 1e6
console.log(JSON.stringify({ pages, seconds, cpuSeconds: (user + system) / 1e6, memoryMb }))
process.exit(0)
