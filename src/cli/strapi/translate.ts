import { isObject } from '#kernel'
import { idOf } from './ids.ts'
import { isInverse, isToMany, type Pair, type Pairing } from './pairing.ts'
import type { Json } from './schema.ts'

interface Links {
  /** Whether a file or an entry with this id is here to be linked. */
  has(documentId: string): boolean
  /** Whether a document of a type is live there. */
  isLive(uid: string, documentId: string): boolean
}

type Values = Record<string, unknown>

/** Values of an entry there as the import of entries takes them. */
export function createTranslation({ components }: Pick<Pairing, 'components'>, links: Links) {
  return { scalars, whole, shown }

  /** Without anything that leads elsewhere, which may not be here yet. */
  function scalars(pairs: readonly Pair[], record: Json): Values {
    return translated(pairs, ({ name, attribute }) =>
      HOLDING.has(String(attribute['type'])) ? undefined : record[name],
    )
  }

  /** Everything but the far ends of relations, which follow from the near ones. */
  function whole(pairs: readonly Pair[], record: Json): Values {
    return translate(pairs, record, () => true)
  }

  /** The same as everybody sees it: without links to what is not live. */
  function shown(pairs: readonly Pair[], record: Json): Values {
    return translate(pairs, record, links.isLive)
  }

  function translate(pairs: readonly Pair[], record: Json, isSeen: Links['isLive']): Values {
    return translated(pairs, (pair) => {
      if (isInverse(pair.attribute)) return undefined
      return toValue(pair.attribute, record[pair.name] ?? null, isSeen)
    })
  }

  function toValue(attribute: Json, value: unknown, isSeen: Links['isLive']): unknown {
    switch (attribute['type']) {
      case 'relation':
        return idsIn(value, isToMany(attribute), (id) => isSeen(String(attribute['target']), id))
      case 'media':
        return idsIn(value, attribute['multiple'] === true, () => true)
      case 'component':
        return partsOf(value, (part) => partOf(String(attribute['component']), part, isSeen))
      case 'dynamiczone':
        return partsOf(value ?? [], (part) => {
          const uid = String(part['__component'])
          return { __component: uid, ...partOf(uid, part, isSeen) }
        })
      default:
        return value
    }
  }

  function partOf(uid: string, part: Json, isSeen: Links['isLive']): Values {
    return translate(components.get(uid) ?? [], part, isSeen)
  }

  function idsIn(value: unknown, isMany: boolean, isSeen: (id: string) => boolean): unknown {
    const all = Array.isArray(value) ? value : value === null ? [] : [value]
    const ids = all.flatMap((each) => (isObject(each) ? String(each['documentId']) : []))
    const found = ids.filter((id) => links.has(id) && isSeen(id)).map(idOf)
    return isMany ? found : (found[0] ?? null)
  }
}

export type Translation = ReturnType<typeof createTranslation>

const HOLDING = new Set(['relation', 'media', 'component', 'dynamiczone'])

function translated(pairs: readonly Pair[], toValue: (pair: Pair) => unknown): Values {
  const values: Values = {}
  for (const pair of pairs) {
    const value = toValue(pair)
    if (value !== undefined) values[pair.as] = value
  }
  return values
}

function partsOf(value: unknown, toPart: (part: Json) => Values): unknown {
  if (Array.isArray(value)) return value.filter(isObject).map(toPart)
  return isObject(value) ? toPart(value) : null
}
