import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { FIELD_KINDS } from './index.ts'

const NOT_KINDS = ['index.ts', 'kind.ts']

test('every file of the folder is one kind, known by its name and with a promise', async () => {
  const files = (await readdir(import.meta.dirname)).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !NOT_KINDS.includes(file),
  )
  assert.deepEqual(
    files.map((file) => file.slice(0, -3)).toSorted(),
    Object.keys(FIELD_KINDS).toSorted(),
  )
  for (const file of files) {
    const name = file.slice(0, -3)
    const source = await readFile(`${import.meta.dirname}/${file}`, 'utf8')
    assert.match(
      source,
      new RegExp(`\\*/\nexport const ${name}: FieldKind`),
      `${file} has no comment`,
    )
    assert.equal(Object.entries(FIELD_KINDS).find(([key]) => key === name)?.[1].type, name)
  }
})

test('only texts are folded, and only what is compared is indexed', () => {
  for (const { type, column } of Object.values(FIELD_KINDS)) {
    if (column.folded) assert.equal(column.kind, 'text', type)
    if (column.indexed) assert.ok(column.compared, type)
    // Of a link it is the members that are compared.
    if (column.folded) assert.ok(column.compared || type === 'link', type)
  }
})
