import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { silentLog } from '#test-kit'
import { loadModules } from './modules.ts'

const ENTRY = {
  ...{ id: 'x', contentType: 'note', name: 'N', culture: 'da', isPublished: true },
  ...{ createDate: '', updateDate: '', properties: {} },
}

async function load(...sources: string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'modules-'))
  try {
    const files = sources.map((_, at) => join(directory, `module${at}.mjs`))
    for (const [at, file] of files.entries()) await writeFile(file, sources[at] ?? '')
    return await loadModules(files, silentLog)
  } finally {
    await rm(directory, { recursive: true })
  }
}

function source(fields: string, values = '[]'): string {
  return `export default { fields: () => ${fields}, values: (entry, culture) => ${values} }`
}

test('index modules: what is wrong with a module stops the start and is said', async () => {
  const field = `[{ fieldName: 'a', fieldType: 'Number' }]`
  await assert.rejects(load('export const x = 1'), /exports nothing with the functions fields/)
  await assert.rejects(load('export default {'), /cannot be loaded/)
  await assert.rejects(loadModules(['/nowhere/module.mjs'], silentLog), /cannot be loaded/)
  await assert.rejects(load(source('7')), /must return a list/)
  await assert.rejects(load(source(`[{ fieldName: 'a b', fieldType: 'Date' }]`)), /"a b"/)
  await assert.rejects(load(source(`[{ fieldName: 'a', fieldType: 'Colour' }]`)), /"Colour"/)
  await assert.rejects(load(source(field), source(field)), /two modules have a field a/)
})

test('index modules: another source or other fields are another registration', async () => {
  const one = await load(source(`[{ fieldName: 'a', fieldType: 'Number' }]`))
  const same = await load(source(`[{ fieldName: 'a', fieldType: 'Number' }]`))
  const other = await load(source(`[{ fieldName: 'a', fieldType: 'Date' }]`))
  assert.equal(one.registration, same.registration)
  assert.notEqual(one.registration, other.registration)
})

test('index modules: values that are none of their field are left out, and none is kept too long', async () => {
  const fields = `[
    { fieldName: 'n', fieldType: 'Number' }, { fieldName: 'd', fieldType: 'Date' },
    { fieldName: 't', fieldType: 'StringRaw', variesByCulture: true }]`
  const values = `[
    { fieldName: 'n', values: [1.5, '2', 'x', NaN, null, {}] },
    { fieldName: 'd', values: ['2026-01-01', '2026-01-01T00:00', new Date(0), 'soon', 7] },
    { fieldName: 't', values: [culture, 'a'.repeat(300), '\\u0000', ['x']] },
    { fieldName: 'other', values: [1] }]`
  const modules = await load(source(fields, values))
  const found = await modules.valuesOf(ENTRY)
  const of = (name: string) => found.get(`${modules.registration}:${name}`) ?? []
  const day = Date.UTC(2026, 0, 1)
  assert.deepEqual(
    of('n').map(({ number }) => number),
    [1.5, 2],
  )
  assert.deepEqual(
    of('d').map(({ number }) => number),
    [day, day, 0, 7],
  )
  assert.deepEqual(
    of('t').map(({ text }) => text),
    ['da', 'a'.repeat(255), '\ufffd'],
  )
  assert.equal(found.size, 3)
})
