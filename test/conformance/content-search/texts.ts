import type { Dice } from '../content-query/random.ts'

/** Ten scripts, among them those without case, without spaces, with marks and beyond the first plane. */
const WORDS = {
  latin: [
    'Harbour',
    'crane',
    'STRASSE',
    'straße',
    'été',
    'E\u0301te\u0301',
    'İstanbul',
    'a_b',
    '100%',
  ],
  greek: ['ΟΔΟΣ', 'οδός', 'Ἀθῆναι', 'λιμάνι', 'ΟΔΟΣΑ'],
  cyrillic: ['ИВАН', 'иван', 'йод', 'и\u0306од', 'Порт'],
  hebrew: ['שלום', 'נמל', 'עגורן'],
  arabic: ['ميناء', 'رافعة', 'سَلَام'],
  devanagari: ['नमस्ते', 'बंदरगाह', 'क्रेन'],
  thai: ['ท่าเรือ', 'ปั้นจั่น', 'สวัสดี'],
  han: ['日本', '日本語港', '起重机', '港口', '中'],
  hangul: ['한국어', '\u1112\u1161\u11ab', '항구', '크레인'],
  gothic: ['𐌲𐌿𐍄', '😀😁', '𝒜𝓑𝒞', '𠀀𠀁'],
}
const GAPS = [
  ' ',
  ' ',
  '  ',
  '-',
  ', ',
  '. ',
  '“',
  '\n',
  '\t',
  '" "',
  '\\',
  "'",
  '<p>',
  '_',
  '%',
  '、',
]

export function randomText(dice: Dice, most: number): string {
  const script = dice.pick(Object.values(WORDS))
  const count = 1 + dice.below(most)
  return Array.from({ length: count }, () => {
    const word = dice.pick(dice.chance(0.7) ? script : dice.pick(Object.values(WORDS)))
    return word + (dice.chance(0.8) ? dice.pick(GAPS) : '')
  }).join('')
}

/** A piece of a text, in other case at times; never of half a character. */
export function pieceOf(dice: Dice, text: string): string {
  const points = Array.from(text)
  const from = dice.below(points.length)
  const piece = points.slice(from, from + 1 + dice.below(7)).join('')
  if (dice.chance(0.3)) return piece.toUpperCase()
  return dice.chance(0.1) ? `${piece}x` : piece
}
