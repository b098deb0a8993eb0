/** What a person who reads the page would say of it; written by hand, from the page alone. */
interface Told {
  readonly title: string
  readonly author: string | null
  readonly language: string | null
  readonly excerpt: string
}

interface ArticlePage {
  readonly layout: string
  readonly html: string
  readonly told: Told
}

const PARAGRAPHS = [
  'The ferry leaves at six, when the harbour is still grey, and the baker on the quay has opened one shutter.',
  'Nobody on board speaks before the second island, because the engine is louder than any voice could be.',
  'By noon the nets are dry again, the crates are stacked, and the talk turns, as always, to the price of ice.',
  'The old captain, who has counted every crossing in a school exercise book, is at number forty thousand and nine.',
  'His daughter keeps the books of the company in a newer way, and knows to the litre what a storm costs.',
  'There was a bridge once, on paper, with a ribbon already bought; the paper is in the museum, the ribbon is not.',
  'A letter from the ministry lies on the counter; it announces, politely, that the line will be sold in spring.',
]
const BODY = PARAGRAPHS.map((text) => `<p>${text}</p>`).join('\n')
const MENU =
  '<ul><li><a href="/">Front page</a></li><li><a href="/world">World</a></li><li><a href="/sport">Sport</a></li></ul>'

/** The layouts that most articles on the web have, with pages of our own. */
export const ARTICLE_PAGES: readonly ArticlePage[] = [
  {
    layout: 'a newspaper: JSON-LD NewsArticle in a graph, OpenGraph, cookie banner, related links',
    html: `<!doctype html><html lang="en-GB"><head><title>The last ferry – The Quay Courier</title>
<meta property="og:title" content="The last ferry"><meta property="og:type" content="article">
<meta property="og:site_name" content="The Quay Courier">
<meta property="og:description" content="A morning on the line that the state wants to sell.">
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[
{"@type":"WebSite","name":"The Quay Courier","url":"https://courier.example/"},
{"@type":"NewsArticle","headline":"The last ferry","description":"A morning on the line that the state wants to sell.",
"author":[{"@type":"Person","name":"Mara Lindqvist"},{"@type":"Person","name":"Second Hand"}],
"datePublished":"2026-02-03T06:00:00Z","inLanguage":"en-GB"}]}</script></head>
<body><div class="cookie-banner">We use cookies. <button>Fine</button></div><header>${MENU}</header>
<main><article><h1>The last ferry</h1><p class="byline">By Mara Lindqvist</p>${BODY}</article></main>
<aside class="related"><h2>Read next</h2>${MENU}</aside><footer>All rights reserved</footer></body></html>`,
    told: {
      ...{ title: 'The last ferry', author: 'Mara Lindqvist', language: 'en-GB' },
      excerpt: 'A morning on the line that the state wants to sell.',
    },
  },
  {
    layout: 'a blog: title with the name of the site, rel=author, no structured data',
    html: `<!doctype html><html lang="de"><head><title>Warum Kisten aus Kiefernholz länger halten | Werkbank und Garten</title>
<meta name="description" content="Warum die billigste Kiste die beste ist.">
<meta name="author" content="Jo Brandt"></head>
<body><div id="sidebar">${MENU}</div><div class="post hentry"><h1 class="entry-title">Warum Kisten aus Kiefernholz länger halten</h1>
<div class="meta">von <a rel="author" href="/jo">Jo Brandt</a></div><div class="entry-content">${BODY}</div></div>
<div id="comments"><p>Schöner Text!</p></div></body></html>`,
    told: {
      ...{
        title: 'Warum Kisten aus Kiefernholz länger halten',
        author: 'Jo Brandt',
        language: 'de',
      },
      excerpt: 'Warum die billigste Kiste die beste ist.',
    },
  },
  {
    layout: 'an encyclopedia: table of contents, info box, no author, no description',
    html: `<!doctype html><html lang="fr"><head><title>Glace de mer — Encyclopédie</title></head>
<body><div id="nav">${MENU}</div><div id="content"><h1>Glace de mer</h1>
<table class="infobox"><tr><th>Type</th><td>Glace</td></tr></table><div id="bodyContent">${BODY}
<div id="toc"><ol><li><a href="#a">Origine</a></li><li><a href="#b">Usage</a></li></ol></div>
<h2 id="a">Origine</h2>${BODY}</div></div></body></html>`,
    told: {
      ...{ title: 'Glace de mer — Encyclopédie', author: null, language: 'fr' },
      excerpt: PARAGRAPHS[0] ?? '',
    },
  },
  {
    layout: 'a platform of many writers: OpenGraph and article:author, claps and shares around',
    html: `<!doctype html><html lang="en"><head><title>How I stopped counting pages | by Ines Okafor | Longform</title>
<meta property="og:title" content="How I stopped counting pages"><meta property="og:type" content="article">
<meta property="og:description" content="Reading is not a race, and neither is crawling.">
<meta name="description" content="Reading is not a race, and neither is crawling.">
<meta name="author" content="Ines Okafor"></head>
<body><div class="topbar">${MENU}</div><article><section><h1>How I stopped counting pages</h1>
<div class="share"><button>Clap</button><button>Share</button></div>${BODY}</section></article></body></html>`,
    told: {
      ...{ title: 'How I stopped counting pages', author: 'Ines Okafor', language: 'en' },
      excerpt: 'Reading is not a race, and neither is crawling.',
    },
  },
  {
    layout: 'a magazine: JSON-LD BlogPosting alone, whose author is an object',
    html: `<!doctype html><html lang="es"><head><title>El precio del hielo</title>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"BlogPosting",
"headline":"El precio del hielo","description":"Tres puertos, una factura.",
"author":{"@type":"Person","name":"Lucía Prados"},"datePublished":"2026-01-12"}</script></head>
<body><header>${MENU}</header><article><h1>El precio del hielo</h1>${BODY}</article></body></html>`,
    told: {
      ...{ title: 'El precio del hielo', author: 'Lucía Prados', language: 'es' },
      excerpt: 'Tres puertos, una factura.',
    },
  },
  {
    layout: 'documentation: a side bar longer than the text, no author',
    html: `<!doctype html><html lang="en-US"><head><title>Leaving the harbour</title>
<meta name="description" content="Everything to check before the lines are cast off."></head>
<body><div class="sidebar" role="navigation">${MENU.repeat(8)}</div><div role="main"><div class="document">
<h1>Leaving the harbour</h1>${BODY}${BODY}</div></div></body></html>`,
    told: {
      ...{ title: 'Leaving the harbour', author: null, language: 'en-US' },
      excerpt: 'Everything to check before the lines are cast off.',
    },
  },
]

/** The first words of the first and of the last paragraph: what the text must hold. */
export const TEXT_ENDS = PARAGRAPHS.filter((_, at) => at === 0 || at === PARAGRAPHS.length - 1)
/** What belongs to the frame of a page and not to its text. */
export const FRAME = /cookies|Front page|Clap|Read next|Schöner Text/
