import { isObject } from '#kernel'
import { attributeOf, baseOf, collapse, type Document, textOf, toUrl } from './dom.ts'
import { readMainText } from './main-text.ts'
import { readJsonLd, readMeta, readMicrodata, readOpenGraph } from './structured.ts'
import { readTables } from './tables.ts'
import { isList, type Json, type JsonObject, toTime, valueAt } from './values.ts'

const EXCERPT_LENGTH = 300

/** The kinds of things a page can be about, before what it is made of. */
const SUBJECTS =
  /(Article|Posting|Report|Product|Recipe|Event|Book|Movie|VideoObject|JobPosting|Course|Review)$/

interface Read {
  readonly data: JsonObject
  /** JSON-LD blocks that could not be read. */
  readonly brokenJsonLd: number
}

/**
 * What a page says of itself (scrapers contract §5.2), by order of trust: JSON-LD, microdata,
 * OpenGraph, other meta, the document. Changes the document: it comes last.
 */
export function readPage(document: Document, url: string): Read {
  const base = baseOf(document, url)
  const { objects, broken } = readJsonLd(document)
  const microdata = readMicrodata(document, base)
  const openGraph = readOpenGraph(document)
  const meta = readMeta(document)
  const structured = [...bySubject(objects), ...bySubject(microdata)]
  const shown = readShown(document)
  const tables = readTables(document)
  const main = readMainText(document)
  const { text } = main
  const facts = factsOf({ base, structured, openGraph, meta, shown, main })
  return {
    brokenJsonLd: broken,
    data: {
      ...facts,
      text,
      excerpt: facts.description ?? first(main.excerpt) ?? excerptOf(text),
      word_count: text === null ? 0 : text.split(/\s+/u).length,
      json_ld: objects,
      microdata,
      open_graph: Object.fromEntries(openGraph),
      meta: Object.fromEntries(meta),
      tables,
    },
  }
}

/** Where facts are looked for. */
interface Sources {
  /** What addresses are relative to. */
  readonly base: string
  readonly structured: readonly JsonObject[]
  readonly openGraph: ReadonlyMap<string, string>
  readonly meta: ReadonlyMap<string, string>
  readonly shown: ReturnType<typeof readShown>
  readonly main: ReturnType<typeof readMainText>
}

/** What people see, or the document says of itself without a vocabulary. */
function readShown(document: Document) {
  return {
    canonical: attributeOf(document.querySelector('link[rel~="canonical"][href]'), 'href'),
    language: attributeOf(document.documentElement, 'lang'),
    title: textOf(document.querySelector('title')) ?? textOf(document.querySelector('h1')),
    time: attributeOf(document.querySelector('time[datetime]'), 'datetime'),
    author: textOf(document.querySelector('[rel~="author"], .author, .byline')),
  }
}

function factsOf({ base, structured, openGraph, meta, shown, main }: Sources) {
  const said = (...names: string[]) => first(...structured.flatMap((each) => textsAt(each, names)))
  const og = (name: string) => openGraph.get(name)
  return {
    title: first(
      ...[said('headline', 'name'), og('title'), meta.get('twitter:title')],
      ...[main.title, shown.title],
    ),
    description: first(
      ...[said('description'), og('description'), meta.get('description')],
      meta.get('twitter:description'),
    ),
    canonical_url: toUrl(shown.canonical, base) ?? toUrl(og('url') ?? null, base),
    language: first(
      ...[said('inLanguage'), og('locale')?.replace('_', '-'), meta.get('content-language')],
      ...[shown.language, main.language],
    ),
    site_name: first(
      ...[said('publisher', 'isPartOf'), og('site_name'), meta.get('application-name')],
      main.siteName,
    ),
    type: first(typeOf(structured), og('type')),
    author: first(
      ...[said('author', 'creator'), og('article:author'), meta.get('author')],
      ...[main.byline, shown.author],
    ),
    published_at: firstTime(
      ...[said('datePublished', 'uploadDate'), og('article:published_time')],
      ...[meta.get('date'), meta.get('dc.date'), main.publishedTime, shown.time],
    ),
    modified_at: firstTime(
      ...[said('dateModified'), og('article:modified_time'), og('updated_time')],
      meta.get('last-modified'),
    ),
    image: toUrl(
      first(said('image', 'thumbnailUrl'), og('image'), meta.get('twitter:image')),
      base,
    ),
    keywords: keywordsOf(structured, meta.get('keywords') ?? meta.get('news_keywords')),
  }
}

/** The first that says something. */
function first(...values: (string | null | undefined)[]): string | null {
  return values.map((value) => collapse(value ?? '')).find((value) => value !== '') ?? null
}

/** What the page is about comes before its publisher, its search box and its breadcrumbs. */
function bySubject(objects: readonly JsonObject[]): JsonObject[] {
  const isSubject = (each: JsonObject) => typesOf(each).some((type) => SUBJECTS.test(type))
  const isPage = (each: JsonObject) => typesOf(each).some((type) => type.endsWith('Page'))
  return [
    ...objects.filter(isSubject),
    ...objects.filter((each) => !isSubject(each) && isPage(each)),
  ]
}

function typesOf(object: JsonObject): string[] {
  const type = object['@type']
  return [type ?? null].flat().filter((each) => typeof each === 'string')
}

function typeOf(objects: readonly JsonObject[]): string | null {
  return objects.flatMap(typesOf)[0] ?? null
}

function textsAt(object: JsonObject, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const text = plainText(valueAt(object, name))
    return text === null ? [] : [text]
  })
}

/** Of people, places and pictures their name or address. */
function plainText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (isList(value)) return plainText(value[0])
  if (!isObject(value)) return null
  return plainText(value['name'] ?? value['url'] ?? value['contentUrl'] ?? value['@value'])
}

function firstTime(...texts: (string | null | undefined)[]): string | null {
  for (const text of texts) {
    const time = toTime(text ?? null)
    if (time !== null) return time
  }
  return null
}

function keywordsOf(structured: readonly JsonObject[], meta: string | undefined): string[] {
  const said = structured.map((each) => each['keywords']).find((each) => each !== undefined)
  const words = isList(said)
    ? said.flatMap((each) => plainText(each) ?? [])
    : (plainText(said) ?? meta ?? '').split(',')
  return [...new Set(words.map(collapse).filter((word) => word !== ''))]
}

function excerptOf(text: string | null): string | null {
  if (text === null) return null
  const paragraph = text.split('\n\n').find((each) => each.length > 60) ?? text
  if (paragraph.length <= EXCERPT_LENGTH) return collapse(paragraph)
  return `${paragraph.slice(0, EXCERPT_LENGTH).replace(/\s+\S*$/u, '')}…`
}
