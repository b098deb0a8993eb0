import { SHORTEST_PART } from '../text-index.ts'

const MOST = 3
/** From the most frequent on, in texts of most languages with this alphabet. */
const FREQUENT = ' eatoinsrhdl'
const RARE = 'jkqvwxyz'

/**
 * Some trigrams of a part, those that few texts have. Each that is asked for costs SQLite a walk through
 * all texts that have it, so a part of twenty characters is found sooner by three than by all eighteen.
 */
export function chooseTrigrams(part: string): readonly string[] {
  const characters = Array.from(part)
  const places = characters.length - SHORTEST_PART + 1
  const all = Array.from({ length: places }, (_, at) => ({
    at,
    trigram: characters.slice(at, at + SHORTEST_PART).join(''),
    rarity: rarityOf(characters.slice(at, at + SHORTEST_PART)),
  })).sort((a, b) => b.rarity - a.rarity)
  const chosen: typeof all = []
  for (const each of all) {
    const isApart = chosen.every(({ at }) => Math.abs(at - each.at) >= SHORTEST_PART - 1)
    if (isApart && chosen.length < MOST) chosen.push(each)
  }
  return [...new Set(chosen.map(({ trigram }) => trigram))]
}

function rarityOf(characters: readonly string[]): number {
  return characters.reduce((sum, character) => sum + pointsOf(character), 0)
}

function pointsOf(character: string): number {
  if (FREQUENT.includes(character)) return FREQUENT.indexOf(character) / FREQUENT.length
  if (/\d/.test(character) || RARE.includes(character)) return 4
  return character < '\u0080' ? 2 : 3
}
