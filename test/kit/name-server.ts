import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after } from 'node:test'

/** One SRV record. */
export interface Srv {
  readonly priority: number
  readonly weight: number
  readonly port: number
  readonly target: string
}

/** A name server on this machine that answers every question with these records, as they are then. */
export async function startNameServer(records: readonly Srv[]) {
  const socket = createSocket('udp4')
  let asked = 0
  let isSilent = false
  socket.on('message', (query, { port, address }) => {
    asked++
    if (isSilent) return
    const question = query.subarray(12)
    const end = question.indexOf(0) + 5
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt16BE(0, 10)
    const answers = records.map(toAnswer)
    socket.send(Buffer.concat([head, question.subarray(0, end), ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  after(() => socket.close())
  return {
    port: socket.address().port,
    questions: () => asked,
    silence() {
      isSilent = true
    },
  }
}

function toAnswer({ priority, weight, port, target }: Srv): Buffer {
  const labels = target
    .split('.')
    .map((label) => Buffer.from([label.length, ...Buffer.from(label)]))
  const name = Buffer.concat([...labels, Buffer.from([0])])
  const fixed = Buffer.alloc(18)
  fixed.writeUInt16BE(0xc00c, 0)
  fixed.writeUInt16BE(33, 2)
  fixed.writeUInt16BE(1, 4)
  fixed.writeUInt32BE(60, 6)
  fixed.writeUInt16BE(6 + name.length, 10)
  for (const [at, value] of [priority, weight, port].entries()) {
    fixed.writeUInt16BE(value, 12 + at * 2)
  }
  return Buffer.concat([fixed, name])
}
