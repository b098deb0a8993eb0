import { isDeepStrictEqual } from 'node:util'
import type { Definition } from './definition.ts'

/** Whether both ask for the same pages, make the same items of them and follow the same links. */
export function readsAlike(a: Definition, b: Definition): boolean {
  return isDeepStrictEqual(readingOf(a), readingOf(b))
}

function readingOf({ url, startUrls, headers, extract, crawl }: Definition) {
  const { follow, maxDepth, maxItems, include, exclude, stripParams, sitemap } = crawl
  const { render, waitFor, loadMedia, incremental } = crawl
  return {
    ...{ url, startUrls, headers, extract, follow, maxDepth, maxItems, include, exclude },
    ...{ stripParams, sitemap, render, waitFor, loadMedia, incremental },
  }
}
