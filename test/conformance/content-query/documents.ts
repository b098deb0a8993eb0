import { LOCALES } from './definitions.ts'
import type { Dice } from './random.ts'

export type TypeName = 'writer' | 'topic' | 'story'
export type Values = Readonly<Record<string, unknown>>

/** The values of one copy of one language variant. */
export interface Copy {
  readonly values: Values
  readonly writer: string | null
  readonly topics: readonly string[]
  readonly broader: string | null
  readonly seo: Values | null
  readonly blocks: readonly Values[]
  /** Of a zone, each with the uid of its component. */
  readonly mixed: readonly { readonly uid: string; readonly values: Values }[]
}

interface Variant {
  readonly locale: string
  readonly live: Copy | null
  readonly work: Copy
}

export interface Document {
  readonly type: TypeName
  /** Chosen here, so that both databases hold the same. */
  readonly documentId: string
  readonly variants: readonly Variant[]
}

export const TEXTS = [
  '',
  ' ',
  'a',
  'A',
  'ab',
  'AB',
  'aB c',
  '100%',
  '100',
  'a_b',
  'axb',
  'a\\b',
  "o'clock",
  'été',
  'ÉTÉ',
  'e\u0301te\u0301',
  'ete',
  'ИВАН',
  'иван',
  'ΟΔΟΣ',
  'ΟΔΟΣΑ',
  'οδος',
  'straße',
  'STRASSE',
  'ﬀ',
  '\ufffd',
  '😀',
  '😀a',
  'İ',
  'z',
]
const MAILS = ['a@b.org', 'A@b.org', 'é@x.io', 'z@z.z']
const WHOLES = [0, 1, -1, 7, 12, 123, 2147483647, -2147483648]
const BIGS = ['0', '5', '-5', '9007199254740993', '9223372036854775807', '-9223372036854775808']
const RATIOS = [0, 0.5, -0.5, 1.25, 1e21, 1e-7, 12]
const PRICES = [0, 0.1, 0.5, 12.5, 12.05, -3.25, 1234567.89, 100]
const DAYS = ['2024-02-29', '2025-01-01', '2025-12-31', '1999-12-31']
const HOURS = ['00:00:00.000', '09:30:00.000', '23:59:59.999']
const MOMENTS = ['2025-01-01T00:00:00.000Z', '2025-06-01T12:00:00.000Z', '1969-12-31T23:59:59.999Z']
export const WORDS = ['red', 'Red', 'ÉTÉ', 'été', 'blue', 'a_b']
const MOODS = ['calm', 'Loud', 'ÉTÉ']

export const POOLS: Readonly<Record<string, readonly (string | number | boolean)[]>> = {
  name: TEXTS,
  age: WHOLES,
  rank: PRICES,
  title: TEXTS,
  body: TEXTS,
  markup: TEXTS,
  mail: MAILS,
  slug: [],
  mood: MOODS,
  whole: WHOLES,
  big: BIGS,
  ratio: RATIOS,
  price: PRICES,
  flag: [true, false],
  day: DAYS,
  hour: HOURS,
  moment: MOMENTS,
  heading: TEXTS,
  weight: WHOLES,
  // The same name for another kind of value in each type.
  'writer.mix': ['a', 'B', 'été', '7', '12'],
  'topic.mix': [0, 7, 7.125, 12.5, -3],
  'story.mix': [0, 7, 12, -3],
}

const FIELDS: Readonly<Record<TypeName, readonly string[]>> = {
  writer: ['name', 'age', 'mix'],
  topic: ['name', 'rank', 'mix'],
  story: [
    'title',
    'body',
    'markup',
    'mail',
    'mood',
    'whole',
    'big',
    'ratio',
    'price',
    'flag',
    'day',
    'hour',
    'moment',
    'mix',
  ],
}

/** Documents of all types; some are drafts, some changed, some lack the default language. */
export function randomDocuments(
  dice: Dice,
  counts: Readonly<Record<TypeName, number>>,
): Document[] {
  const ids: Record<TypeName, string[]> = { writer: [], topic: [], story: [] }
  let last = 0
  const documents: Document[] = []
  for (const type of ['writer', 'topic', 'story'] as const) {
    for (let n = 0; n < counts[type]; n++) {
      last++
      const documentId = `0195a8c2-7c1e-7b3a-9d44-${String(last).padStart(12, '0')}`
      documents.push({ type, documentId, variants: variantsOf(type, last) })
      ids[type].push(documentId)
    }
  }
  return documents

  function variantsOf(type: TypeName, no: number): Variant[] {
    const locales = type === 'writer' ? [''] : localesOf()
    return locales.map((locale) => {
      const work = copyOf(type, `s${no}-${locale}`)
      if (type !== 'story') return { locale, live: work, work }
      const state = dice.below(4)
      if (state === 0) return { locale, live: null, work }
      return { locale, live: state === 1 ? copyOf(type, `l${no}-${locale}`) : work, work }
    })
  }

  function localesOf(): string[] {
    const chosen = LOCALES.filter(() => dice.chance(0.6))
    return chosen.length > 0 ? chosen : [dice.pick(LOCALES)]
  }

  function copyOf(type: TypeName, slug: string): Copy {
    const isStory = type === 'story'
    return {
      values: { ...valuesOf(FIELDS[type], type), ...(isStory ? storyExtras(slug) : {}) },
      writer: isStory && ids.writer.length > 0 && dice.chance(0.7) ? dice.pick(ids.writer) : null,
      topics: isStory ? dice.some(ids.topic, 3) : [],
      broader:
        type === 'topic' && ids.topic.length > 0 && dice.chance(0.5) ? dice.pick(ids.topic) : null,
      seo: isStory && dice.chance(0.5) ? partOf() : null,
      blocks: isStory ? Array.from({ length: dice.below(3) }, partOf) : [],
      mixed: isStory ? Array.from({ length: dice.below(4) }, zonePart) : [],
    }
  }

  function storyExtras(slug: string): Values {
    return {
      slug,
      meta: dice.chance(0.5) ? { any: dice.pick(TEXTS) } : null,
      words: dice.chance(0.3) ? null : dice.some(WORDS, 3),
    }
  }

  function zonePart() {
    return { uid: dice.pick(['default.seo', 'default.mark']), values: partOf() }
  }

  function partOf(): Values {
    return {
      ...valuesOf(['heading', 'weight']),
      words: dice.chance(0.5) ? null : dice.some(WORDS, 2),
    }
  }

  function valuesOf(names: readonly string[], type = ''): Values {
    const poolOf = (name: string) => POOLS[`${type}.${name}`] ?? POOLS[name] ?? []
    return Object.fromEntries(
      names.map((name) => [name, dice.chance(0.25) ? null : dice.pick(poolOf(name))]),
    )
  }
}
