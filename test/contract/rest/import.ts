import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runEntrepot, temporaryDirectory } from '#test-kit'
import { restSuite } from './support.ts'

export const imports = restSuite('entrepot import', ({ kind, server, call, data, keys }) => {
  const directory = temporaryDirectory()

  function file(name: string, lines: readonly string[]): string {
    const path = join(directory, name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }

  function run(...args: string[]) {
    return runEntrepot(['import', ...args], {
      ENTREPOT_CLI_URL: server().url,
      ENTREPOT_CLI_KEY: keys.write,
    })
  }

  // Every statement is a round trip there, so a machine with many tests needs long for each line.
  const count = kind === 'sqlite' ? 2_000 : 300
  const articles = Array.from({ length: count }, (_, at) =>
    JSON.stringify({ external_id: `n-${at}`, title: `Import ${at}`, rank: at }),
  )

  const totals = (created: number, unchanged: number, failed: number) =>
    new RegExp(`^${created} created, 0 updated, ${unchanged} unchanged, ${failed} failed$`, 'm')

  test(`${count} lines arrive in order; what is wrong is reported by its line`, async () => {
    const lines = [...articles]
    lines[16] = '{"title":'
    lines[250] = '{"external_id":"x","rank":"high","titel":"y"}'
    const path = file('articles.ndjson', lines)
    const { code, output } = await run('articles', path, '--upsert', 'external_id')
    assert.equal(code, 1)
    assert.match(output, /^line 17: is not valid JSON/m)
    assert.match(output, /^line 251: (?=.*titel)(?=.*rank)/m)
    assert.match(output, totals(count - 2, 0, 2))
    const { body } = await call('GET', '/api/v1/articles?sort=id&per_page=100&fields=title')
    assert.equal(body.meta.total, count - 2)
    assert.deepEqual(
      body.data.slice(14, 17).map(({ title }: { title: string }) => title),
      ['Import 14', 'Import 15', 'Import 17'],
    )

    const mended = file('mended.ndjson', articles)
    const again = await run('articles', mended, '--upsert', 'external_id', '--batch', '500')
    assert.equal(again.code, 0, again.output)
    assert.match(again.output, totals(2, count - 2, 0))
    assert.equal((await call('GET', '/api/v1/articles')).body.meta.total, count)
  })

  test('a table is read by its first line', async () => {
    const path = file('comments.csv', [
      'body,likes',
      '"Two\nlines",3',
      'Plain,',
      'Bad,many',
      '"Quoted ""word""",7',
    ])
    const { code, output } = await run('comments', path)
    assert.equal(code, 1)
    assert.match(output, /^line 5: likes/m)
    const comments = await data('GET', '/api/v1/comments')
    assert.deepEqual(
      comments.map(({ body, likes }: { body: string; likes: number | null }) => [body, likes]),
      [
        ['Two\nlines', 3],
        ['Plain', null],
        ['Quoted "word"', 7],
      ],
    )
    const first = comments[0].id
    const linked = file('linked.csv', [
      'title,categories:json,seo:json',
      'L,[],"{""description"":""d""}"',
    ])
    assert.equal((await run('articles', linked)).code, 0)
    const [article] = await data('GET', '/api/v1/articles?title=L')
    assert.equal(article.seo.description, 'd')
    assert.equal(typeof first, 'number')
  })

  test('a table that names a column twice is refused with the column, and nothing is sent', async () => {
    for (const columns of ['body,likes,body', 'body,likes,body:json']) {
      const path = file('twice.csv', [columns, 'First,1,2'])
      const before = (await call('GET', '/api/v1/comments')).body.meta.total
      const { code, output } = await run('comments', path)
      assert.equal(code, 1)
      assert.match(output, /twice\.csv cannot be read as CSV: the column "body" is named twice/)
      assert.equal((await call('GET', '/api/v1/comments')).body.meta.total, before)
    }
  })

  test('a row of a table with another count of cells than its first line is refused alone', async () => {
    const before = (await call('GET', '/api/v1/comments')).body.meta.total
    const path = file('counts.csv', [
      'body,likes',
      'Even,1',
      'Comma, not quoted,2',
      'Cut off',
      'Last,3',
    ])
    const { code, output } = await run('comments', path)
    assert.equal(code, 1)
    assert.match(output, /^line 3: has 3 cells, the first line names 2/m)
    assert.match(output, /^line 4: has 1 cell, the first line names 2/m)
    assert.match(output, totals(2, 0, 2))
    assert.equal((await call('GET', '/api/v1/comments')).body.meta.total, before + 2)
  })

  test('a line that no request may hold is refused alone, and no character of a text ends a line', async () => {
    const path = file('odd.ndjson', [
      '{"title":"one\u2028two\u2029three","body":"kept"}',
      '{"title":"\\u0000"}',
      '{"title":"half \\ud83d"}',
      '{"title":"x","__proto__":{}}',
      `{"title":"deep","body":${'['.repeat(98)}${']'.repeat(98)}}`,
      '{"title":"\\ud83d\\ude00"}\r',
    ])
    const { code, output } = await run('articles', path)
    assert.equal(code, 1)
    for (const line of [2, 3]) {
      assert.match(output, new RegExp(`^line ${line}: text must not contain U\\+0000`, 'm'))
    }
    assert.match(output, /^line 4: .*forbidden name __proto__/m)
    assert.match(output, /^line 5: .*nested deeper/m)
    assert.match(output, totals(2, 0, 4))
    const { body } = await call(
      'GET',
      '/api/v1/articles?sort=id&order=desc&per_page=2&fields=title',
    )
    assert.deepEqual(
      body.data.map(({ title }: { title: string }) => title),
      ['\u{1f600}', 'one\u2028two\u2029three'],
    )
  })

  test('what is not UTF-8 is told by its line and never stored as other characters', async () => {
    const lines = (first: string) => Buffer.from(`${first}\n`, 'latin1')
    const path = join(directory, 'latin.ndjson')
    writeFileSync(path, lines('{"body":"\u00d6l"}\n{"body":"plain"}'))
    const { output } = await run('comments', path)
    assert.match(output, /^line 1: is not UTF-8/m)
    assert.match(output, totals(1, 0, 1))
    const table = join(directory, 'latin.csv')
    writeFileSync(table, lines('body\nplain\n\u00d6l'))
    const { code, output: told } = await run('comments', table)
    assert.equal(code, 1)
    assert.match(told, /latin\.csv cannot be read as CSV: line 3 is not UTF-8/)
    const comments = await data('GET', '/api/v1/comments?per_page=100')
    assert.ok(comments.every(({ body }: { body: string }) => !body.includes('\ufffd')))
  })

  test('an import that is broken off says what is stored', async () => {
    const rows = [...Array.from({ length: 100 }, (_, at) => `Row ${at},1`), '"open,1']
    const { code, output } = await run(
      ...['comments', file('broken.csv', ['body,likes', ...rows]), '--batch', '50'],
    )
    assert.equal(code, 1)
    assert.match(output, /^Broken off: (50|100) created, 0 updated, 0 unchanged, 0 failed$/m)
    assert.match(output, /broken\.csv cannot be read as CSV: .*line 10[23]/)
  })

  test('a wrong key, an unknown collection and a missing file end it at once', async () => {
    const path = file('one.ndjson', [articles[0] ?? ''])
    const env = { ENTREPOT_CLI_URL: server().url, ENTREPOT_CLI_KEY: keys.read }
    const forbidden = await runEntrepot(['import', 'articles', path], env)
    assert.equal(forbidden.code, 1)
    assert.match(forbidden.output, /refused the import with 403: .*write/)
    const unknown = await run('nothings', path)
    assert.equal(unknown.code, 1)
    assert.match(unknown.output, /with 404: There is no route/)
    const missing = await run('articles', join(directory, 'none.ndjson'))
    assert.match(missing.output, /none\.ndjson cannot be read: there is no such file/)
    const strange = await run('articles', file('a.txt', ['{}']))
    assert.equal(strange.code, 2)
    assert.match(strange.output, /--format/)
    const keyless = await runEntrepot(['import', 'articles', path], {})
    assert.equal(keyless.code, 2)
    assert.match(keyless.output, /ENTREPOT_CLI_KEY/)
  })

  test('a directory in the place of the file is named, in either format', async () => {
    for (const format of ['ndjson', 'csv']) {
      const { code, output } = await run('articles', directory, '--format', format)
      assert.equal(code, 1)
      assert.ok(output.startsWith(`entrepot: ${directory} cannot be read`), output)
    }
  })
})
