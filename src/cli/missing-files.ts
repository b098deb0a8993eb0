interface Missing {
  readonly count: number
  readonly example: string | null
}

/** Says which files could not be copied, and what to do about it; nothing when there are none. */
export function tellMissing({ count, example }: Missing, advice: string): readonly string[] {
  if (count === 0) return []
  const files = count === 1 ? '1 file is' : `${count} files are`
  return [
    `${files} not in it, such as ${example}: neither the database nor the uploads here have them.`,
    advice,
  ]
}
