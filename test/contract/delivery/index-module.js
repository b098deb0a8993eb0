/** What an operator would write (contract §9): the server of these tests is told to load it. */
export const titles = {
  fields: () => [
    { fieldName: 'titleLength', fieldType: 'Number' },
    { fieldName: 'firstLetter', fieldType: 'StringRaw' },
    { fieldName: 'titleOrder', fieldType: 'StringSortable' },
    { fieldName: 'titleWords', fieldType: 'StringAnalyzed' },
    { fieldName: 'language', fieldType: 'StringRaw', variesByCulture: true },
  ],
  values({ name }, culture) {
    if (name === 'Broken') throw new Error('this module cannot read broken titles')
    if (name === null) return []
    return [
      { fieldName: 'titleLength', values: [name.length] },
      { fieldName: 'firstLetter', values: [name.slice(0, 1)] },
      { fieldName: 'titleOrder', values: [name.split(' ').toReversed().join(' ')] },
      { fieldName: 'titleWords', values: [name, { this: 'is no text' }] },
      { fieldName: 'language', values: [culture ?? 'none'] },
    ]
  },
}

export const places = {
  fields: () => [
    { fieldName: 'stations', fieldType: 'Number' },
    { fieldName: 'halfway', fieldType: 'Date' },
    { fieldName: 'authorId', fieldType: 'StringRaw' },
  ],
  async values({ properties }) {
    const { words, day, author } = properties
    const list = Array.isArray(words) ? words : []
    return [
      { fieldName: 'stations', values: list.map(Number) },
      { fieldName: 'halfway', values: day === null || day === undefined ? [] : [day] },
      { fieldName: 'authorId', values: Array.isArray(author) ? author : [] },
    ]
  },
}
