/** Where mails are handed in, and who they say they come from. */
export interface MailServer {
  /** `smtp://` or `smtps://`. */
  readonly url: string
  readonly sender: string | undefined
}

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same on every try, so that a mail sent twice can be recognised. */
  readonly messageId?: string
}

const TIMEOUT_MS = 15_000

/** Resolves when the mail server has taken the mail; the library is loaded by the first one. */
export async function sendMail({ url, sender }: MailServer, mail: Mail): Promise<void> {
  const { default: nodemailer } = await import('nodemailer')
  const transport = nodemailer.createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  try {
    await transport.sendMail({ from: sender ?? 'entrepot@localhost', ...mail })
  } finally {
    transport.close()
  }
}
