import { once } from 'node:events'
import net from 'node:net'
import { after } from 'node:test'

export interface SmtpSink {
  readonly url: string
  /** Each mail as it came over the line, headers included. */
  readonly mails: readonly string[]
  /** While true every mail is refused for the moment. */
  isBusy: boolean
  /** How many were refused so. */
  refused: number
}

/** A mail server that keeps everything and sends nothing; ends with the test file. */
export async function startSmtp(): Promise<SmtpSink> {
  const mails: string[] = []
  const server = net.createServer((socket) => serve(socket))
  after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const sink = { url: `smtp://127.0.0.1:${address.port}`, mails, isBusy: false, refused: 0 }
  return sink

  function serve(socket: net.Socket) {
    let text = ''
    let mail: string | undefined
    socket.on('error', () => {})
    socket.write('220 sink\r\n')
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        if (mail === undefined) answer(line)
        else if (line !== '.') mail += `${line}\n`
        else {
          mails.push(mail)
          mail = undefined
          socket.write('250 kept\r\n')
        }
      }
    })

    function answer(line: string) {
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'MAIL' && sink.isBusy) {
        sink.refused++
        return socket.write('451 later\r\n')
      }
      if (verb === 'DATA') mail = ''
      if (verb === 'QUIT') return socket.end('221 bye\r\n')
      return socket.write(verb === 'DATA' ? '354 go on\r\n' : '250 ok\r\n')
    }
  }
}
