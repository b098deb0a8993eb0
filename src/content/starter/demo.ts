import type { Database, Tx } from '#db'
import type { CreateOptions, Entries, EntryInput } from '../entries/ports.ts'
import { insertLocale } from '../locales/store.ts'
import type { ContentModel } from '../model.ts'
import { SYSTEM } from '../system.ts'
import type { ModelChanges } from '../types/changes.ts'
import { ARTICLES, AUTHORS, CATEGORIES, POSTS, PRODUCTS } from './demo-set.ts'

interface Deps {
  readonly db: Database
  readonly changes: ModelChanges
  readonly entries: Pick<Entries, 'create'>
  model(): ContentModel
}

const GERMAN = { code: 'de', name: 'Deutsch', isDefault: false, fallback: 'en' }

/** A few dozen entries of the starter types in two languages, all of them or none. */
export async function writeDemo({ db, changes, entries, model }: Deps): Promise<void> {
  await changes.change(({ trx, nowMs }) => insertLocale(trx, GERMAN, nowMs))
  await db.main.transaction(undefined, async (tx) => {
    const save = createSaver(tx)
    const authors = await writeAuthors(save)
    const categories = await writeCategories(save)
    await writeArticles(save, authors, categories)
    for (const { author, draft, ...values } of POSTS) {
      await save('post', { values: { ...values, author: authors.get(author) } }, draft)
    }
    for (const { draft, ...values } of PRODUCTS) {
      const is_in_stock = values.stock > 0
      await save('product', { values: { ...values, is_in_stock } }, draft)
    }
  })

  function createSaver(tx: Tx): Save {
    return async (name, input, draft = false) => {
      const type = model().findType(name)
      if (!type) throw new Error(`the starter type ${name} is missing`)
      const options: CreateOptions = { tx, status: draft ? 'draft' : 'published' }
      const { entry } = await entries.create(SYSTEM, type, input, options)
      return entry.documentId
    }
  }
}

/** Returns the documentId. */
type Save = (type: string, input: EntryInput, draft?: boolean) => Promise<string>
type Documents = ReadonlyMap<string, string>

async function writeAuthors(save: Save): Promise<Documents> {
  const documents = new Map<string, string>()
  for (const { key, ...values } of AUTHORS) documents.set(key, await save('author', { values }))
  return documents
}

async function writeCategories(save: Save): Promise<Documents> {
  const documents = new Map<string, string>()
  for (const { key, en, de } of CATEGORIES) {
    const documentId = await save('category', { values: { name: en }, locale: 'en' })
    await save('category', { values: { name: de }, locale: 'de', documentId })
    documents.set(key, documentId)
  }
  return documents
}

async function writeArticles(save: Save, authors: Documents, categories: Documents) {
  for (const { author, categories: keys, en, de, draft, comments = [] } of ARTICLES) {
    const links = {
      author: authors.get(author),
      categories: keys.flatMap((key) => categories.get(key) ?? []),
    }
    const input = { values: { ...en, ...links }, locale: 'en' }
    const article = await save('article', input, draft === 'en')
    if (de) {
      const translation = { values: { ...de, ...links }, locale: 'de', documentId: article }
      await save('article', translation, draft === 'de')
    }
    for (const [authorName, body] of comments) {
      await save('comment', { values: { authorName, body, article } })
    }
  }
}
