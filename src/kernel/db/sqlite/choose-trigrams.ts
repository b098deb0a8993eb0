import { SHORTEST_PART } from '../text-index.ts'

const MOST = 3
/** From the most frequent on, in texts of most languages with this alphabet. */
const FREQUENT = ' eatoinsrhdl'
const RARE = 'jkqvwxyz'

interface Chosen {
  readonly at: number
  readonly trigram: string
  readonly rarity: number
}

/**
 * Some trigrams of texts that have all of the parts: the rarest of each part, and the rarest of all. Each that is asked
 * for costs SQLite a walk through all texts that have it, 14 ms of a million, so a part of twenty characters is found
 * sooner by three than by all eighteen, and a rare word beside a frequent one by the rare word's.
 */
export function chooseTrigrams(parts: readonly string[]): readonly string[] {
  const ofEach = parts.map(rarestOf)
  const rarest = ofEach.flat().sort(byRarity).slice(0, MOST)
  const chosen = [...ofEach.flatMap((own) => own.slice(0, 1)), ...rarest]
  return [...new Set(chosen.map(({ trigram }) => trigram))]
}

/** So many at most, apart from each other: neighbours are in the same texts. */
function rarestOf(part: string): readonly Chosen[] {
  const characters = Array.from(part)
  const places = characters.length - SHORTEST_PART + 1
  const all = Array.from({ length: places }, (_, at) => {
    const own = characters.slice(at, at + SHORTEST_PART)
    return { at, trigram: own.join(''), rarity: rarityOf(own) }
  }).sort(byRarity)
  const chosen: Chosen[] = []
  for (const each of all) {
    const isApart = chosen.every(({ at }) => Math.abs(at - each.at) >= SHORTEST_PART - 1)
    if (isApart && chosen.length < MOST) chosen.push(each)
  }
  return chosen
}

function byRarity(a: Chosen, b: Chosen): number {
  return b.rarity - a.rarity
}

function rarityOf(characters: readonly string[]): number {
  return characters.reduce((sum, character) => sum + pointsOf(character), 0)
}

function pointsOf(character: string): number {
  if (FREQUENT.includes(character)) return FREQUENT.indexOf(character) / FREQUENT.length
  if (/\d/.test(character) || RARE.includes(character)) return 4
  return character < '\u0080' ? 2 : 3
}
