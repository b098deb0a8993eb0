// 1,000 entries of five types in two languages, with drafts beside what is live, and 50 files.
const { mkdtempSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { deflateSync, crc32 } = require('node:zlib')

const AUTHORS = 100
const CATEGORIES = 60
const ARTICLES = 420
const TRANSLATED = 280
const PAGES = 78
const FILES = 50

exports.fill = async (strapi) => {
  await strapi.plugin('i18n').service('locales').create({ code: 'de', name: 'German (de)' })
  const files = await fillFiles(strapi)
  const authors = await fillAuthors(strapi, files)
  const categories = await fillCategories(strapi)
  const articles = await fillArticles(strapi, { files, authors, categories })
  await fillPages(strapi, { files, articles, categories })
  await fillHomepage(strapi, { articles, categories })
  await reorderSome(strapi, { authors, articles })
}

async function fillFiles(strapi) {
  const directory = mkdtempSync(join(tmpdir(), 'magazine-'))
  const folders = strapi.plugin('upload').service('folder')
  const folder = await folders.create({ name: 'Press', parent: null })
  const ids = []
  for (let n = 1; n <= FILES; n++) {
    const isPicture = n <= 40
    const name = isPicture ? `picture ${n}.png` : `note ${n}.txt`
    const bytes = isPicture ? pictureOf(n) : Buffer.from(`Note ${n}\n`.repeat(n))
    const filepath = join(directory, `${n}`)
    writeFileSync(filepath, bytes)
    const [file] = await strapi
      .plugin('upload')
      .service('upload')
      .upload({
        data: {
          fileInfo: {
            name,
            alternativeText: n % 3 === 0 ? null : `Picture ${n} – “quoted”`,
            caption: n % 4 === 0 ? `Caption ${n}` : null,
            ...(n % 5 === 0 ? { folder: folder.id } : {}),
          },
        },
        files: {
          filepath,
          originalFilename: name,
          mimetype: isPicture ? 'image/png' : 'text/plain',
          size: bytes.length,
        },
      })
    ids.push(file.id)
  }
  return ids
}

/** A plain square, each of another colour and size. */
function pictureOf(n) {
  const side = n === 1 ? 400 : 8 + n
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, n * 6)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunkOf('IHDR', header),
    chunkOf('IDAT', pixels),
    chunkOf('IEND', Buffer.alloc(0)),
  ])
}

function chunkOf(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  const check = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

async function fillAuthors(strapi, files) {
  const made = []
  for (let n = 1; n <= AUTHORS; n++) {
    const data = {
      name: `Author ${n}`,
      email: n % 10 === 0 ? null : `author${n}@example.org`,
      born: n % 2 === 0 ? `19${10 + (n % 80)}-03-0${1 + (n % 9)}` : null,
      secret: 'hidden-from-all',
      portrait: n % 3 === 0 ? files[n % 40] : null,
    }
    made.push((await strapi.documents('api::author.author').create({ data })).documentId)
  }
  return made
}

async function fillCategories(strapi) {
  const documents = strapi.documents('api::category.category')
  const made = []
  for (let n = 1; n <= CATEGORIES; n++) {
    const parent = n > 10 ? made[n % 10] : null
    const common = { code: n, path: `/old/${n}`, parent }
    const data = { ...common, name: `Category ${n}`, slug: `category-${n}` }
    const { documentId } = await documents.create({ data, locale: 'en' })
    const german = { ...common, name: `Rubrik ${n}`, slug: `rubrik-${n}` }
    await documents.update({ documentId, data: german, locale: 'de' })
    made.push(documentId)
  }
  return made
}

async function fillArticles(strapi, { files, authors, categories }) {
  const documents = strapi.documents('api::article.article')
  const made = []
  for (let n = 1; n <= ARTICLES; n++) {
    const data = articleOf(n, 'en', { files, authors, categories, articles: made })
    const { documentId } = await documents.create({ data, locale: 'en' })
    made.push(documentId)
    // Every fourth was never published, every fifth of the others is edited since.
    if (n % 4 !== 0) await documents.publish({ documentId, locale: 'en' })
    if (n % 4 !== 0 && n % 5 === 0) {
      const edited = { title: `Edited ${n}`, categories: data.categories.toReversed(), quotes: [] }
      await documents.update({ documentId, locale: 'en', data: edited })
    }
    if (n > TRANSLATED) continue
    const german = articleOf(n, 'de', { files, authors, categories, articles: made })
    await documents.update({ documentId, locale: 'de', data: german })
    if (n % 3 !== 0) await documents.publish({ documentId, locale: 'de' })
  }
  return made
}

function articleOf(n, language, { files, authors, categories, articles }) {
  const pick = (list, ...offsets) => [
    ...new Set(offsets.map((o) => list[(n * 7 + o) % list.length])),
  ]
  const word = language === 'de' ? 'Artikel' : 'Article'
  return {
    title: `${word} ${n} <&> “é”`,
    slug: `${word.toLowerCase()}-${n}`,
    summary: n % 6 === 0 ? null : `About ${n}\nin ${language}`,
    text: `# ${word} ${n}\n\n*Markdown* and a [link](https://example.org/${n}).`,
    body: [
      { type: 'paragraph', children: [{ type: 'text', text: `${word} ${n}`, bold: true }] },
      { type: 'heading', level: 2, children: [{ type: 'text', text: 'More' }] },
    ],
    views: String(9007199254740993n + BigInt(n)),
    price: n % 7 === 0 ? null : n + 0.25,
    rating: n / 8,
    featured: n % 2 === 0,
    mood: n % 3 === 0 ? null : n % 2 === 0 ? 'calm' : 'lively',
    happens: new Date(Date.UTC(2024, n % 12, 1 + (n % 27), 8, 30)).toISOString(),
    opens: `0${n % 10}:15:00.000`,
    facts: n % 2 === 0 ? { b: [n, null], a: { deep: language } } : null,
    cover: n % 3 === 0 ? null : files[n % 40],
    gallery: n % 4 === 0 ? pick(files, 9, 3, 5) : [],
    seo:
      n % 2 === 0
        ? {
            title: `Seo ${n}`,
            image: files[n % 40],
            links: [{ label: 'a', url: '/a' }, { label: 'b' }],
          }
        : null,
    quotes: Array.from({ length: n % 4 }, (_, at) => ({
      text: `Quote ${n}.${at}`,
      by: at ? 'somebody' : null,
    })),
    author: n % 9 === 0 ? null : authors[n % AUTHORS],
    categories: pick(categories, 30, 2, 11),
    related: articles.length > 3 ? pick(articles.slice(0, -1), 4, 1) : [],
  }
}

async function fillPages(strapi, { files, articles, categories }) {
  const documents = strapi.documents('api::page.page')
  for (let n = 1; n <= PAGES; n++) {
    const sections = [
      { __component: 'shared.quote', text: `Page quote ${n}` },
      {
        __component: 'shared.teaser',
        label: `Teaser ${n}`,
        article: articles[n],
        categories: [categories[n % 60], categories[(n + 7) % 60]],
      },
      { __component: 'shared.seo', title: `Zone ${n}`, image: files[n % 40] },
      { __component: 'shared.quote', text: `Last ${n}`, by: 'the editor' },
    ]
    const data = {
      title: `Page ${n}`,
      slug: `page-${n}`,
      status: n % 2 ? 'open' : null,
      hero: articles[n * 2],
      sections: sections.slice(0, n % 5),
    }
    const { documentId } = await documents.create({ data })
    if (n % 3 !== 0) await documents.publish({ documentId })
    if (n % 6 === 1) await documents.update({ documentId, data: { title: `Page ${n}, edited` } })
  }
}

async function fillHomepage(strapi, { articles, categories }) {
  const documents = strapi.documents('api::homepage.homepage')
  const teasers = [
    { label: 'First', article: articles[6], categories: [categories[3], categories[1]] },
    { label: 'Second' },
  ]
  const chosen = [articles[10], articles[2], articles[30]]
  const data = { welcome: 'Welcome', teasers, chosen }
  const { documentId } = await documents.create({ data, locale: 'en' })
  await documents.publish({ documentId, locale: 'en' })
  await documents.update({
    documentId,
    locale: 'de',
    data: { welcome: 'Willkommen', teasers: teasers.toReversed(), chosen: chosen.toReversed() },
  })
}

/** The order seen from the other end is one of its own. */
async function reorderSome(strapi, { authors, articles }) {
  for (const author of [0, 1, 2].map((n) => authors[n])) {
    const { articles: own } = await strapi
      .documents('api::author.author')
      .findOne({ documentId: author, populate: ['articles'], status: 'draft' })
    const ids = [...new Set(own.map(({ documentId }) => documentId))]
    const backwards = ids.filter((id) => articles.includes(id)).toReversed()
    await strapi
      .documents('api::author.author')
      .update({ documentId: author, data: { articles: backwards } })
  }
}
