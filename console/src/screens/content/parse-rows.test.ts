import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRows } from './parse-rows.ts'

test('cells with commas, quotes and line ends are one cell, and lines are counted as the file has them', () => {
  const text = 'title,note\r\n"a, b","say ""x""\nagain"\r\nplain,\r\n'
  assert.deepEqual(readRows(text), [
    { line: 2, values: { title: 'a, b', note: 'say "x"\nagain' } },
    { line: 4, values: { title: 'plain' } },
  ])
})

test('a line that is not JSON keeps its number and the others are read', () => {
  assert.deepEqual(readRows('{"a":1}\n{oops\n\n{"a":2}\n'), [
    { line: 1, values: { a: 1 } },
    { line: 2, fault: 'This line is not JSON' },
    { line: 4, values: { a: 2 } },
  ])
  assert.deepEqual(readRows('[{"a":1}, 2]'), [
    { line: 1, values: { a: 1 } },
    { line: 2, fault: 'This is not an object' },
  ])
})

test('a quote that closes nothing loses neither its line nor the lines below', () => {
  assert.deepEqual(readRows('title,n\n5" disc,1\n"open,2\rlast,3'), [
    { line: 2, values: { title: '5" disc', n: '1' } },
    { line: 3, values: { title: '"open', n: '2' } },
    { line: 4, values: { title: 'last', n: '3' } },
  ])
})

test('the quote an export puts before what a spreadsheet would carry out is taken away again', () => {
  const values = { title: '+49 170', note: "'-1", plain: "'s Gravenhage" }
  assert.deepEqual(readRows("title,note,plain\n'+49 170,''-1,'s Gravenhage"), [{ line: 2, values }])
})

test('a file whose cells are separated by semicolons or tabs is read as one by commas', () => {
  const rows = [{ line: 2, values: { title: 'a; b', note: '1,5' } }]
  assert.deepEqual(readRows('title;note\r\n"a; b";1,5\r\n'), rows)
  assert.deepEqual(readRows('title\tnote\na; b\t1,5'), rows)
  assert.deepEqual(readRows('"title, with; both",note\nx,y'), [
    { line: 2, values: { 'title, with; both': 'x', note: 'y' } },
  ])
  assert.deepEqual(readRows('sep=;\r\ntitle\r\na,b'), [{ line: 3, values: { title: 'a,b' } }])
})

test('a row with another count of cells than the first line, or cells without a name, is refused alone', () => {
  assert.deepEqual(readRows('title,note,\na,b,\nwith, comma,c,\ncut\nx,y,z\nlast,,'), [
    { line: 2, values: { title: 'a', note: 'b' } },
    { line: 3, fault: 'This row has another count of cells (4) than the first line (3)' },
    { line: 4, fault: 'This row has another count of cells (1) than the first line (3)' },
    { line: 5, fault: 'Cell 3 has no name in the first line' },
    { line: 6, values: { title: 'last' } },
  ])
})

test('a table that names a column twice has one fault and no rows', () => {
  const line = { line: 1, fault: 'The column "note" is named twice' }
  assert.deepEqual(readRows('note,title,note\na,b,c'), [line])
})
