/** Requests of HTTP/1.1 with something wrong in most of them, the same in every run of one seed. */
export function createRequestFuzzer(seed: number): () => string {
  const dice = createDice(seed)
  return () => mutate(SEEDS[dice(SEEDS.length)] ?? '', dice)
}

const SEEDS = [
  'GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n',
  'POST /x?y=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc',
  'POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;q=2\r\nd\r\n0\r\nT: 1\r\n\r\n',
  'PUT /z HTTP/1.0\r\nHost: b\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nq',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n',
]
const PIECES = [
  ...[
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '\0',
    ':',
    ';',
    ',',
    '\x0b',
    '\x7f',
    '\xff',
    '0',
    '-',
    '+',
    'x',
    '"',
  ],
  ...[
    'chunked',
    'Content-Length: 3\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Host: b\r\n',
    '\r\n ',
    ' \r\n',
  ],
  ...['HTTP/1.1', '%00', '0x', 'a'.repeat(20)],
]

function createDice(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
}

function mutate(text: string, dice: (below: number) => number): string {
  let mutated = text
  for (let times = 1 + dice(3); times > 0; times--) {
    const at = dice(mutated.length + 1)
    const [before, after] = [mutated.slice(0, at), mutated.slice(at)]
    const piece = PIECES[dice(PIECES.length)] ?? ''
    mutated =
      [
        before + after.slice(1 + dice(3)),
        before + piece + after,
        before + piece + after.slice(1),
        before + mutated.slice(dice(at + 1), at) + after,
      ][dice(4)] ?? mutated
  }
  return mutated
}
