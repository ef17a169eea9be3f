import { connect, type Socket } from 'node:net'

export interface RawReply {
  /** 0 when the server closed without a word. */
  status: number
  headers: Headers
  text: string
  // A test knows what it asked for; a mistake shows as a failed expectation.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}

/** A request line with headers, as `fetch` would never send them; lines end as HTTP wants it. */
export const lines = (...parts: string[]): string => `${parts.join('\r\n')}\r\n\r\n`

/** An open connection that speaks bytes. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  return socket
}

/** Sends bytes and reads the first answer to them, or nothing when the server closes instead. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<RawReply> {
  const socket = await openSocket(url)
  try {
    socket.write(bytes)
    return await firstReply(socket)
  } finally {
    socket.destroy()
  }
}

/** The first answer that arrives on a connection. */
export async function firstReply(socket: Socket): Promise<RawReply> {
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    const look = (isOver: boolean) => {
      const reply = replyIn(Buffer.concat(chunks).toString('latin1'), isOver)
      if (reply) resolve(reply)
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      look(false)
    })
    socket.on('close', () => look(true))
  })
}

function replyIn(received: string, isOver: boolean): RawReply | undefined {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [first = '', ...fields] = head.split('\r\n')
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(first) ?? []
  const headers = new Headers(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')),
      field.slice(field.indexOf(':') + 1),
    ]),
  )
  const text = rest.join('\r\n\r\n')
  const isWhole = rest.length > 0 && text.length >= Number(headers.get('content-length') ?? 0)
  if (!isWhole && !isOver) return undefined
  const isJson = headers.get('content-type')?.includes('json') ?? false
  return { status: Number(status), headers, text, body: isJson && text ? JSON.parse(text) : text }
}
