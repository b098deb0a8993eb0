import { relationTo } from '#test-kit'

/** Every kind of field, with two values that filters take and that differ. */
export const FIELDS: Readonly<Record<string, { type: object; values: readonly [string, string] }>> =
  {
    label: { type: { type: 'string' }, values: ['Las%20Vegas', 'ab'] },
    note: { type: { type: 'text' }, values: ['long', 'short'] },
    story: { type: { type: 'richtext' }, values: ['b', 'i'] },
    mail: { type: { type: 'email' }, values: ['a@example.org', 'b@example.org'] },
    slug: { type: { type: 'uid', targetField: 'label' }, values: ['las-vegas', 'ab'] },
    grade: { type: { type: 'enumeration', enum: ['a', 'b', '7'] }, values: ['a', 'b'] },
    whole: { type: { type: 'integer' }, values: ['0', '1'] },
    big: { type: { type: 'biginteger' }, values: ['0', '1'] },
    ratio: { type: { type: 'float' }, values: ['0', '1'] },
    price: { type: { type: 'decimal' }, values: ['0', '1'] },
    flag: { type: { type: 'boolean' }, values: ['0', '1'] },
    day: { type: { type: 'date' }, values: ['2026-01-02', '2026-01-03'] },
    moment: {
      type: { type: 'datetime' },
      values: ['2026-01-02T03:04:05Z', '2026-01-03T03:04:05.678Z'],
    },
    hour: { type: { type: 'time' }, values: ['03:04:05', '04:05:06.700'] },
    words: { type: { type: 'tags' }, values: ['x', 'y'] },
    data: { type: { type: 'json' }, values: ['0', '1'] },
    home: { type: { type: 'link' }, values: ['0', '1'] },
    hidden: { type: { type: 'string', private: true }, values: ['0', '1'] },
    maker: { type: relationTo('manyToOne', 'maker'), values: ['1', '2'] },
    labels: { type: relationTo('manyToMany', 'tag'), values: ['1', '2'] },
    safe: { type: relationTo('manyToOne', 'safe'), values: ['1', '2'] },
    size: { type: { type: 'component', component: 'default.size' }, values: ['0', '1'] },
    parts: {
      type: { type: 'dynamiczone', components: ['default.size', 'default.made'] },
      values: ['0', '1'],
    },
    nodes: { type: { type: 'richtext', format: 'blocks' }, values: ['0', '1'] },
    photo: { type: { type: 'media' }, values: ['1', '2'] },
  }

export const COMPONENTS: readonly object[] = [
  { category: 'default', name: 'size', attributes: { width: { type: 'integer' } } },
  {
    category: 'default',
    name: 'made',
    attributes: { maker: relationTo('manyToOne', 'maker'), note: { type: 'string' } },
  },
]

const plain = (singularName: string, more: object = {}) => ({
  singularName,
  pluralName: `${singularName}s`,
  attributes: { name: { type: 'string' }, rank: { type: 'integer' } },
  ...more,
})

export const TYPES: readonly object[] = [
  plain('maker'),
  plain('tag'),
  plain('safe', { publicRead: false }),
  {
    singularName: 'thing',
    pluralName: 'things',
    draftAndPublish: true,
    localized: true,
    attributes: Object.fromEntries(Object.entries(FIELDS).map(([name, { type }]) => [name, type])),
  },
]

/** What `/api/v1` is given, in this order. */
export const ENTRIES: readonly (readonly [plural: string, body: object])[] = [
  ...['makers', 'tags', 'safes'].flatMap((plural) =>
    [1, 2].map((rank) => [plural, { name: `${plural} ${rank}`, rank }] as const),
  ),
  [
    'things',
    {
      ...{ label: 'Las Vegas', note: 'long', story: '<b>b</b>', mail: 'a@example.org', grade: 'a' },
      ...{ whole: 1, big: '1', ratio: 1, price: 1, flag: true, day: '2026-01-02' },
      ...{ moment: '2026-01-02T03:04:05Z', hour: '03:04:05', words: ['x', 'y'], data: { a: 1 } },
      ...{ home: { url: 'https://example.org' }, hidden: '1', size: { width: 1 } },
      parts: [
        { __component: 'default.made', maker_id: 1, note: 'a' },
        { __component: 'default.size', width: 7 },
      ],
      nodes: [{ type: 'paragraph', children: [{ type: 'text', text: 'as 7' }] }],
      ...{ maker_id: 1, labels: [1, 2], safe_id: 1, locale: 'en' },
    },
  ],
  [
    'things',
    {
      ...{ label: 'ab', note: 'short', grade: '7', whole: 7, big: '9007199254740993', ratio: 0.1 },
      ...{ price: 7, flag: false, day: '2026-01-03', moment: '2026-01-03T03:04:05.678Z' },
      ...{ hour: '04:05:06.7', words: ['7'], data: 7, hidden: '7', maker_id: 2, locale: 'en' },
    },
  ],
  ['things', { label: 'İ é 漢 "7" % _ \\', whole: 0, big: '0', price: 0, ratio: 0, locale: 'en' }],
  ['things', { label: 'Draft', whole: 9, status: 'draft', locale: 'en' }],
  ['things', { locale: 'en', maker_id: 1 }],
]
