/** Types with every scalar kind, relations both ways, drafts and locales, as an administrator writes them. */
export const COMPONENTS = [
  {
    category: 'default',
    name: 'seo',
    displayName: 'SEO',
    attributes: {
      heading: { type: 'string' },
      weight: { type: 'integer' },
      words: { type: 'tags' },
    },
  },
  {
    category: 'default',
    name: 'mark',
    displayName: 'Mark',
    attributes: {
      heading: { type: 'string' },
      weight: { type: 'integer' },
      words: { type: 'tags' },
    },
  },
]

export const TYPES = [
  {
    singularName: 'writer',
    pluralName: 'writers',
    attributes: {
      name: { type: 'string' },
      age: { type: 'integer' },
      mix: { type: 'string', searchable: false },
      stories: { type: 'relation', relation: 'oneToMany', target: 'story', mappedBy: 'writer' },
    },
  },
  {
    singularName: 'topic',
    pluralName: 'topics',
    localized: true,
    attributes: {
      name: { type: 'string' },
      rank: { type: 'decimal' },
      mix: { type: 'decimal', scale: 3, searchable: false },
      broader: { type: 'relation', relation: 'manyToOne', target: 'topic' },
      stories: { type: 'relation', relation: 'manyToMany', target: 'story', mappedBy: 'topics' },
    },
  },
  {
    singularName: 'story',
    pluralName: 'stories',
    localized: true,
    draftAndPublish: true,
    attributes: {
      title: { type: 'string' },
      body: { type: 'text' },
      markup: { type: 'richtext' },
      mail: { type: 'email' },
      slug: { type: 'uid' },
      mood: { type: 'enumeration', enum: ['calm', 'Loud', 'ÉTÉ'] },
      whole: { type: 'integer' },
      big: { type: 'biginteger' },
      ratio: { type: 'float' },
      price: { type: 'decimal' },
      flag: { type: 'boolean' },
      day: { type: 'date' },
      hour: { type: 'time' },
      moment: { type: 'datetime' },
      meta: { type: 'json' },
      words: { type: 'tags' },
      mix: { type: 'integer', searchable: false },
      writer: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'writer',
        inversedBy: 'stories',
      },
      topics: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'topic',
        inversedBy: 'stories',
      },
      seo: { type: 'component', component: 'default.seo' },
      blocks: { type: 'component', component: 'default.seo', repeatable: true },
      mixed: { type: 'dynamiczone', components: ['default.seo', 'default.mark'] },
    },
  },
]

export const LOCALES = ['en', 'fr', 'de'] as const
export const DEFAULT_LOCALE = 'en'
