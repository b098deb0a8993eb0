import type { NewContentTypeBody } from '../types/schemas.ts'

const slugOf = (targetField: string) => ({ type: 'uid', targetField })
const to = (relation: string, target: string, ends: object = {}) => ({
  type: 'relation',
  relation,
  target,
  ...ends,
})

/** Types that refer to each other; on a slow machine each group has a transaction of its own. */
const LINKED: readonly NewContentTypeBody[] = [
  {
    singularName: 'author',
    pluralName: 'authors',
    attributes: {
      name: { type: 'string', required: true },
      email: { type: 'email' },
      slug: slugOf('name'),
      articles: to('oneToMany', 'article', { mappedBy: 'author' }),
      posts: to('oneToMany', 'post', { mappedBy: 'author' }),
    },
  },
  {
    singularName: 'category',
    pluralName: 'categories',
    localized: true,
    attributes: {
      name: { type: 'string' },
      slug: slugOf('name'),
      articles: to('manyToMany', 'article', { mappedBy: 'categories' }),
    },
  },
  {
    singularName: 'article',
    pluralName: 'articles',
    draftAndPublish: true,
    localized: true,
    attributes: {
      title: { type: 'string', required: true },
      slug: slugOf('title'),
      summary: { type: 'text' },
      body: { type: 'richtext' },
      cover: { type: 'media', allowedTypes: ['images'] },
      author: to('manyToOne', 'author', { inversedBy: 'articles' }),
      categories: to('manyToMany', 'category', { inversedBy: 'articles' }),
      comments: to('oneToMany', 'comment', { mappedBy: 'article' }),
    },
  },
  {
    singularName: 'comment',
    pluralName: 'comments',
    attributes: {
      body: { type: 'text', required: true },
      authorName: { type: 'string' },
      article: to('manyToOne', 'article', { inversedBy: 'comments' }),
    },
  },
  {
    singularName: 'post',
    pluralName: 'posts',
    draftAndPublish: true,
    attributes: {
      title: { type: 'string' },
      slug: slugOf('title'),
      body: { type: 'richtext' },
      author: to('manyToOne', 'author', { inversedBy: 'posts' }),
    },
  },
]

const PRODUCTS: readonly NewContentTypeBody[] = [
  {
    singularName: 'product',
    pluralName: 'products',
    draftAndPublish: true,
    attributes: {
      name: { type: 'string' },
      sku: { type: 'string', required: true, unique: true },
      description: { type: 'richtext' },
      price: { type: 'decimal', scale: 4 },
      stock: { type: 'integer', default: 0, unversioned: true },
      is_in_stock: { type: 'boolean', default: true, unversioned: true },
      image: { type: 'media', allowedTypes: ['images'] },
      categories: to('manyToMany', 'category'),
      // What the commerce dialect knows of a product besides (commerce contract §4.1).
      weight: { type: 'decimal', scale: 4 },
      visibility: { type: 'integer', default: 4 },
      type_id: { type: 'string', default: 'simple' },
      attribute_set_id: { type: 'integer', default: 4 },
      stock_item: { type: 'json', unversioned: true },
      custom_attributes: { type: 'json' },
    },
  },
]

/** Content model §11.1: what makes the documents' examples work at once; later groups refer to earlier ones. */
export const STARTER_TYPES = [LINKED, PRODUCTS] as const
